// What is written is kept: fields are only ever added, and no byte of what there is changes unasked. After a change
// that is wanted, MFMA_KEEP=1 tests/reports/written_test writes tests/reports/kept/ anew, and the difference is looked
// at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reports/html/compare_html.h"
#include "reports/html/html.h"
#include "reports/json/compare_json.h"
#include "reports/json/events.h"
#include "reports/json/json.h"
#include "reports/json/schema.h"
#include "reports/junit/junit.h"
#include "reports/model/compare.h"
#include "reports/model/merge.h"
#include "reports/terminal/compare_terminal.h"
#include "reports/terminal/terminal.h"
#include "tests/reports/full_report.h"

namespace mfma::reports {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_kept(const std::string& text, const std::string& name) {
  const std::filesystem::path file = std::string(MFMA_SOURCE_DIR) + "/tests/reports/kept/" + name;
  if (std::getenv("MFMA_KEEP")) std::ofstream(file, std::ios::binary) << text;
  ASSERT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_EQ(text, text_of(file)) << name;
}

RunReport other_report() {
  RunReport r = testing::full_report();
  r.tool_version = "0.2.0";
  r.compilers[0].version = "Debian clang version 23.0.1";
  r.compilers[0].hash = "1111111111111111";
  r.compilers[0].flags.push_back("-g");
  r.compilers.pop_back();
  r.levels = {"O0", "O2", "O3"};
  r.device_description = "AMD Instinct MI355X";
  r.device_facts[1].second = "6.15";
  r.device_facts.pop_back();
  r.profile_digest.clear();
  r.seed = 1;
  r.repeats = 1;
  r.properties = {"negate"};
  r.shapes_asked.clear();
  r.shard_index = 3;
  r.stopped.clear();
  r.waivers.clear();
  r.units.pop_back();
  r.units[1].verdict = Verdict::kInconclusive;
  r.units.push_back(testing::full_unit(9, "mfma_f64_4x4x4f64", "mfma_f64_4x4x4f64 blgp=2", Verdict::kHang));
  r.findings.erase(r.findings.begin());
  r.findings.pop_back();
  for (Finding& f : r.findings) f.waived.clear();
  r.findings[0].differences[0].actual = 0x1234;
  Finding fresh = testing::full_finding(r.units.back(), false, "O3");
  fresh.kind = FindingKind::kUnstableBits;
  r.findings.push_back(fresh);
  r.program_units[0].verdict = Verdict::kPass;
  summarize(r);
  return r;
}

// scripts/make-documentation writes them.
TEST(Written, TheSchemasAreThoseOfTheTablesOfFields) {
  const std::string folder = std::string(MFMA_SOURCE_DIR) + "/reports/schema/";
  const auto is_kept = [&](const std::string& schema, const char* name) { return schema == text_of(folder + name); };
  EXPECT_TRUE(is_kept(report_schema(), "report-1.json")) << "run scripts/make-documentation";
  EXPECT_TRUE(is_kept(events_schema(), "events-1.json"));
  EXPECT_TRUE(is_kept(compare_schema(), "compare-1.json"));
}

TEST(Written, TheReport) { expect_kept(to_json(testing::full_report()), "report.json"); }

TEST(Written, AReportWithNothingInIt) { expect_kept(to_json(RunReport()), "empty.json"); }

TEST(Written, AReportOfManyFindingsWhichAreShortened) {
  RunReport r = testing::full_report();
  const Finding f = r.findings[0];
  r.findings.assign(2001, f);
  const std::string in_short = to_json(r);
  const std::size_t at = in_short.find("\"shortened\"");
  ASSERT_NE(at, std::string::npos);
  const std::size_t begin = in_short.rfind('\n', at) + 1;
  std::string lines = in_short.substr(begin, in_short.find('\n', at) - begin) + "\n";
  r.findings.assign(30'000, f);
  const std::string bare = to_json(r);
  const std::size_t end = bare.rfind("\"shortened\"");
  const std::size_t last = bare.rfind('\n', end) + 1;
  lines += bare.substr(last, bare.find('\n', end) - last) + "\n";
  expect_kept(lines, "shortened.txt");
}

TEST(Written, JunitTerminalAndTheDataOfTheHtml) {
  const RunReport r = testing::full_report();
  expect_kept(to_junit(r), "report.junit.xml");
  expect_kept(to_terminal(r, {.colour = true, .verbose = true}), "report.terminal.txt");
  const std::string page = to_html(r), begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  expect_kept(page.substr(from, page.find("</script>", from) - from) + "\n", "report.html.json");
}

TEST(Written, AComparison) {
  const Comparison c = compare(testing::full_report(), "before.json", other_report(), "after.json");
  expect_kept(to_json(c), "compare.json");
  expect_kept(to_terminal(c, true), "compare.terminal.txt");
  expect_kept(to_html(c), "compare.html");
  const Comparison back = compare(other_report(), "after.json", testing::full_report(), "before.json");
  expect_kept(to_json(back), "compare.back.json");
}

TEST(Written, AnEventLog) {
  const RunReport r = testing::full_report();
  RunReport planned = r;
  planned.findings.clear();
  planned.stopped.clear();
  for (std::vector<UnitReport>* units : {&planned.units, &planned.program_units}) {
    for (UnitReport& u : *units) {
      u.verdict = Verdict::kNotRun;
      u.untouched = true;
      u.counts = {};
      u.properties.clear();
      u.open.clear();
    }
  }
  summarize(planned);
  judge_waivers(planned);
  const std::filesystem::path file = ::testing::TempDir() + "/written_events.jsonl";
  std::filesystem::remove(file);
  {
    const auto log = EventLog::create(file, planned);
    ASSERT_TRUE(log) << log.error();
    (*log)->launched((*log)->launch("kernel", "case \xff 1", 12), "completed", "");
    (*log)->launched((*log)->launch("kernel 2", "case 2", 3), "hang", "no end in 2 s");
    (*log)->result({r.units[0], {r.findings[0]}}, false, true);
    (*log)->result({r.program_units[1], {r.findings[3]}}, true, false);
  }
  {
    const auto log = EventLog::append(file);
    ASSERT_TRUE(log) << log.error();
    (*log)->end(r);
  }
  expect_kept(text_of(file), "events.jsonl");
  const auto events = read_events(file);
  ASSERT_TRUE(events) << events.error();
  expect_kept(to_json(report_of(*events)), "events.report.json");
}

TEST(Written, MergedShards) {
  RunReport first = testing::full_report(), second = first;
  first.shard_count = second.shard_count = 2;
  first.shard_index = 1;
  second.stopped = "signal";
  second.units.erase(second.units.begin() + 1, second.units.end());
  second.units[0].verdict = Verdict::kPass;
  second.findings.erase(second.findings.begin(), second.findings.begin() + 3);
  second.program_units.clear();
  second.findings.clear();
  summarize(second);
  auto merged = merge({{"a.json", first}, {"b.json", second}});
  ASSERT_TRUE(merged) << merged.error();
  expect_kept(to_json(*merged), "merged.json");
}

TEST(Written, IsReadBack) {
  for (const char* name : {"report.json", "empty.json", "merged.json", "events.report.json"}) {
    const std::string text = text_of(std::string(MFMA_SOURCE_DIR) + "/tests/reports/kept/" + name);
    const auto read = from_json(text, name);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(to_json(*read), text) << name;
  }
}

}  // namespace
}  // namespace mfma::reports
