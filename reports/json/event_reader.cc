#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "harness/system/json_text.h"
#include "harness/system/whole_file.h"
#include "reports/json/event_fields.h"
#include "reports/json/events.h"
#include "reports/json/json.h"
#include "reports/json/json_parts.h"
#include "reports/json/record_json.h"
#include "reports/model/finding_key.h"
#include "reports/model/waive.h"

namespace mfma::reports {
namespace {

using json::Json;

// A soak of weeks stays below it.
constexpr std::size_t kLargestFile = std::size_t{8} << 30;

class Reader {
 public:
  // Throws as the readers of json_parts.h do.
  void take(const Json& json) {
    const std::string event = json.at("event");
    if (event != "start" && !started_) throw std::invalid_argument("want \"start\" as the first event");
    if (event == "start") {
      if (started_) throw std::invalid_argument("a second \"start\"");
      if (json.at("schema") != kEventsSchema)
        throw std::invalid_argument(fmt::format("schema is not {}", kEventsSchema));
      auto planned = from_json(json.at("run").dump(), "run");
      if (!planned) throw std::invalid_argument(planned.error());
      events_.planned = *std::move(planned);
      for (const UnitReport& u : events_.planned.units) known_[u.id] = false;
      for (const UnitReport& u : events_.planned.program_units) known_[u.id] = true;
      started_ = true;
    } else if (event == "launch") {
      const auto launch = json::read<LaunchEvent>(json, kLaunchFields);
      in_flight_[launch.n] = fmt::format("{}, {} cases from {}", launch.kernel, launch.cases, launch.first);
    } else if (event == "launched") {
      in_flight_.erase(json::read<LaunchedEvent>(json, kLaunchedFields).n);
    } else if (event == "result") {
      take_result(json);
    } else if (event == "examined") {
      events_.examined.push_back(json::read<ExaminedEvent>(json, kExaminedFields).finding);
    } else if (event == "resume") {
      in_flight_.clear();
      events_.examined.clear();
      events_.ended = false;
      events_.stopped.clear();
    } else if (event == "end") {
      auto end = json::read<EndEvent>(json, kEndFields);
      events_.ended = true;
      events_.stopped = std::move(end.stopped);
      events_.seconds = end.seconds;
    } else {
      throw std::invalid_argument(fmt::format("\"{}\" is no event", event));
    }
  }

  bool started() const { return started_; }
  Events finish() {
    for (auto& [n, launch] : in_flight_) events_.in_flight.push_back(std::move(launch));
    return std::move(events_);
  }

 private:
  void take_result(const Json& json) {
    const std::string kind = json.at("kind");
    if (kind != "instance" && kind != "program")
      throw std::invalid_argument(fmt::format("\"{}\" is no kind of result", kind));
    auto event = json::read<ResultEvent>(json, kResultFields);
    UnitResult result{std::move(event.unit), std::move(event.findings)};
    const bool is_program = kind == "program";
    const std::string id = result.unit.id;
    const auto known = known_.find(id);
    if (known == known_.end() || known->second != is_program)
      throw std::invalid_argument(fmt::format("a result of {}, which the run does not have", id));
    if (events_.complete.count(id))
      throw std::invalid_argument(fmt::format("a second result of {}, which was complete", id));
    if (event.complete) {
      events_.partial.erase(id);
      events_.complete[id] = std::move(result);
    } else {
      events_.partial[id] = std::move(result);
    }
  }

  Events events_;
  bool started_ = false;
  std::map<std::string, bool> known_;  // id to whether it is a program's
  std::map<std::uint64_t, std::string> in_flight_;
};

}  // namespace

bool is_event_log(const std::filesystem::path& file) {
  constexpr std::string_view kBegin = "{\"event\":";
  std::ifstream in(file, std::ios::binary);
  std::string begin(kBegin.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.gcount() == static_cast<std::streamsize>(begin.size()) && begin == kBegin;
}

tl::expected<Events, std::string> read_events(const std::filesystem::path& file) {
  const auto text = system::read_bounded_file(file, kLargestFile);
  if (!text)
    return tl::make_unexpected(
        fmt::format("{}: {}; want an event log that 'run --events FILE' wrote", file.string(), text.error()));
  Reader reader;
  std::size_t number = 0;
  for (std::size_t at = 0, end = 0; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
    ++number;
    const auto refuse = [&](const std::string& why) {
      return tl::make_unexpected(fmt::format("{}, line {}: {}", file.string(), number, why));
    };
    const auto json = system::parse_json<Json>(std::string_view(*text).substr(at, end - at));
    if (!json) {
      return refuse(json.error().byte == 0 ? json.error().what
                                           : "not JSON; want an event log that 'run --events FILE' wrote");
    }
    try {
      reader.take(*json);
    } catch (const std::exception& e) {
      return refuse(json::reason_of(e));
    }
  }
  if (!reader.started())
    return tl::make_unexpected(fmt::format(
        "{}: has no whole line: the run was killed before it began, or this is no event log", file.string()));
  return reader.finish();
}

RunReport report_of(const Events& events) {
  RunReport report = events.planned;
  const auto fill = [&](std::vector<UnitReport>& units) {
    for (UnitReport& unit : units) {
      for (const auto* results : {&events.complete, &events.partial}) {
        const auto found = results->find(unit.id);
        if (found == results->end()) continue;
        unit = found->second.unit;
        report.findings.insert(report.findings.end(), found->second.findings.begin(), found->second.findings.end());
      }
    }
  };
  fill(report.units);
  fill(report.program_units);
  std::map<FindingKey, const Finding*> examined;
  for (const Finding& f : events.examined) examined[key_of(f)] = &f;
  for (Finding& f : report.findings) {
    const auto found = examined.find(key_of(f));
    if (found != examined.end()) f = *found->second;
  }
  summarize(report);
  judge_waivers(report);
  report.seconds = events.seconds;
  report.stopped = !events.ended ? "killed" : events.stopped;
  return report;
}

}  // namespace mfma::reports
