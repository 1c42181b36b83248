// The event log: what a killed run had, and nothing that was not there.
#include "reports/json/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/json/json.h"
#include "tests/reports/random_report.h"

namespace mfma::reports {
namespace {

using ::testing::HasSubstr;

class EventsTest : public ::testing::Test {
 protected:
  EventsTest()
      : folder_(std::filesystem::path(::testing::TempDir()) / ("mfma_events_" + std::to_string(getpid()))),
        file_(folder_ / "run.jsonl") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    testing::RandomReport random(5);
    do report_ = random();
    while (report_.units.size() < 4 || report_.program_units.size() < 2);
    // A finding of one unit in one place is what tells it from others.
    for (std::size_t i = 0; i < report_.findings.size(); ++i) report_.findings[i].case_id = std::to_string(i);
    planned_ = report_;
    planned_.findings.clear();
    for (auto* units : {&planned_.units, &planned_.program_units}) {
      for (UnitReport& u : *units) {
        u.verdict = Verdict::kNotRun;
        u.counts = {};
        u.counts.left = 1;
        u.open.clear();
        u.properties.clear();
      }
    }
    summarize(planned_);
  }
  ~EventsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  UnitResult result_of(const UnitReport& unit, bool is_program) const {
    UnitResult r{unit, {}};
    for (const Finding& f : report_.findings) {
      if (f.unit != unit.number || f.shape.empty() == is_program) continue;
      r.findings.push_back(f);
      // Not known before the end.
      r.findings.back().reduced.reset();
      r.findings.back().attribution.clear();
    }
    return r;
  }

  // The log of the whole run.
  std::string whole() {
    std::filesystem::remove(file_);
    auto log = EventLog::create(file_, planned_);
    EXPECT_TRUE(log) << log.error();
    for (const UnitReport& u : report_.units) {
      const std::uint64_t n = (*log)->launch("kernel", "case " + u.id, 12);
      (*log)->result(result_of(u, false), false, false);
      (*log)->launched(n, "completed", "");
      (*log)->result(result_of(u, false), false, true);
    }
    for (const UnitReport& u : report_.program_units) (*log)->result(result_of(u, true), true, true);
    (*log)->end(report_);
    EXPECT_EQ((*log)->error(), "");
    return read();
  }
  std::string read() const {
    std::stringstream text;
    text << std::ifstream(file_, std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

  const std::filesystem::path folder_, file_;
  RunReport report_, planned_;
};

TEST_F(EventsTest, TheWholeLogIsTheReport) {
  whole();
  ASSERT_TRUE(is_event_log(file_));
  const auto events = read_events(file_);
  ASSERT_TRUE(events) << events.error();
  EXPECT_TRUE(events->ended);
  EXPECT_TRUE(events->in_flight.empty());
  EXPECT_TRUE(events->partial.empty());
  EXPECT_EQ(to_json(report_of(*events)), to_json(report_));
}

TEST_F(EventsTest, CutAnywhereItHasWhatItHadAndCanGoOn) {
  const std::string text = whole();
  const std::size_t first_line = text.find('\n') + 1;
  for (std::size_t size = 0; size <= text.size(); size += 1 + size / 60) {
    write(text.substr(0, size));
    const auto events = read_events(file_);
    if (size < first_line) {
      ASSERT_FALSE(events);
      EXPECT_THAT(events.error(), HasSubstr("no whole line"));
      continue;
    }
    ASSERT_TRUE(events) << "cut at " << size << ": " << events.error();
    const RunReport cut = report_of(*events);
    EXPECT_EQ(cut.units.size(), report_.units.size());
    for (std::size_t i = 0; i < cut.units.size(); ++i) {
      EXPECT_TRUE(cut.units[i] == report_.units[i] || cut.units[i] == planned_.units[i]);
    }
    EXPECT_EQ(cut.stopped, size == text.size() ? report_.stopped : "killed");
    // What goes on after it is whole again.
    {
      auto log = EventLog::append(file_);
      ASSERT_TRUE(log) << log.error();
      for (const UnitReport& u : report_.units) {
        if (!events->complete.count(u.id)) (*log)->result(result_of(u, false), false, true);
      }
      for (const UnitReport& u : report_.program_units) {
        if (!events->complete.count(u.id)) (*log)->result(result_of(u, true), true, true);
      }
      (*log)->end(report_);
    }
    const auto again = read_events(file_);
    ASSERT_TRUE(again) << "cut at " << size << ": " << again.error();
    EXPECT_EQ(to_json(report_of(*again)), to_json(report_)) << "cut at " << size;
  }
}

TEST_F(EventsTest, NamesWhatWasInFlight) {
  {
    auto log = EventLog::create(file_, planned_);
    ASSERT_TRUE(log);
    (*log)->launched((*log)->launch("first", "case one", 1), "completed", "");
    (*log)->launch("second", "case two", 32);
  }
  const auto events = read_events(file_);
  ASSERT_TRUE(events) << events.error();
  EXPECT_THAT(events->in_flight, ::testing::ElementsAre("second, 32 cases from case two"));
  EXPECT_EQ(report_of(*events).exit_code(), ExitCode::kNoVerdict);
}

TEST_F(EventsTest, AnExistingFileIsNotOverwritten) {
  write("something");
  const auto log = EventLog::create(file_, planned_);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error(), HasSubstr("is there already: go on with it by --resume"));
  EXPECT_EQ(read(), "something");
  EXPECT_FALSE(EventLog::append(folder_ / "none.jsonl"));
}

TEST_F(EventsTest, AFullDiskIsSaidOnceAndStopsNothing) {
  std::filesystem::create_symlink("/dev/full", folder_ / "full");
  const auto log = EventLog::append(folder_ / "full");
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error(), HasSubstr("full"));
}

TEST_F(EventsTest, AnythingElseIsRefusedWithItsLine) {
  const std::string text = whole();
  const std::size_t first_line = text.find('\n') + 1;
  const std::string start = text.substr(0, first_line), rest = text.substr(first_line);
  const std::string result =
      "{\"event\":\"result\",\"kind\":\"instance\",\"complete\":true,\"unit\":{\"number\":77,\"builtin\":\"x\","
      "\"instance\":\"y\",\"verdict\":\"pass\",\"counts\":{}},\"findings\":[]}\n";
  for (const auto& [content, why] : std::vector<std::pair<std::string, std::string>>{
           {rest, "line 1: want \"start\" as the first event"},
           {start + "{}\n", "line 2: key 'event' not found"},
           {start + "nonsense\n", "line 2: not JSON"},
           {start + "{\"event\":\"resume\"}" + std::string(1, '\0') + "\n", "line 2: not JSON"},
           {start + "{\"event\":\"resume\"}{}\n", "line 2: not JSON"},
           {start + "{\"event\":\"resume\",\"event\":\"end\"}\n", "line 2: event: stands twice in one object"},
           {start + "{\"event\":\"launched\",\"n\":1e999}\n", "line 2: n: 1e999 is a number too large"},
           {start + start, "line 2: a second \"start\""},
           {start + "{\"event\":\"rain\"}\n", "line 2: \"rain\" is no event"},
           {start + result, "a result of y, which the run does not have"},
           {text + rest, "which was complete"},
           {"[1]\n", "line 1: "}}) {
    write(content);
    const auto events = read_events(file_);
    ASSERT_FALSE(events) << content.substr(0, 200);
    EXPECT_THAT(events.error(), HasSubstr(why));
  }
  EXPECT_FALSE(is_event_log(folder_ / "none"));
}

}  // namespace
}  // namespace mfma::reports
