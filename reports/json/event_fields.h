// The lines of an event log. reports/json/events.h says when each is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/json/events.h"
#include "reports/model/run_fields.h"

namespace mfma::reports {

struct StartEvent {};  // the report with nothing run, under "run", is text of its own
struct LaunchEvent {
  std::uint64_t n = 0;
  std::string kernel, first;
  std::uint64_t cases = 0;
};
struct LaunchedEvent {
  std::uint64_t n = 0;
  std::string status, message;
};
struct ResultEvent {
  std::string kind;  // "instance" or "program"
  bool complete = false;
  UnitReport unit;
  std::vector<Finding> findings;
};
struct ExaminedEvent {
  Finding finding;
};
struct ResumeEvent {};
struct EndEvent {
  ExitCode exit_code = ExitCode::kPass;
  std::string stopped;
  double seconds = 0;
};

// `happened` is what the line is, and `name` what it means as a value of "event".
template <typename... Rows>
constexpr auto event_fields(const char* name, const char* happened, const char* meaning, Rows... rows) {
  return record::record("", happened, record::constant(name, {.key = "event", .doc = meaning}), rows...);
}

inline constexpr const char* kBegins = "The run begins.";
inline constexpr auto kStartFields =
    event_fields("start", kBegins, kBegins,
                 record::constant(kEventsSchema, {.key = "schema", .doc = "Name and number of this schema."}),
                 record::Elsewhere{"report", "", {.key = "run", .doc = "The report with nothing run."}});

inline constexpr const char* kToBeMade = "A launch is about to be made.";
inline constexpr auto kLaunchFields = event_fields(
    "launch", kToBeMade, kToBeMade,
    record::field(&LaunchEvent::n, {.key = "n", .doc = "Number of the launch, from 1 for each part of the log."}),
    record::field(&LaunchEvent::kernel, {.key = "kernel", .doc = "Its kernel."}),
    record::field(&LaunchEvent::first, {.key = "first", .doc = "Name of its first case."}),
    record::field(&LaunchEvent::cases, {.key = "cases", .doc = "Number of its cases."}));

inline constexpr const char* kHasEnded = "A launch has ended.";
inline constexpr auto kLaunchedFields = event_fields(
    "launched", kHasEnded, kHasEnded, record::field(&LaunchedEvent::n, {.key = "n", .doc = "Number of the launch."}),
    record::field(&LaunchedEvent::status, {.key = "status", .doc = "How: completed, hang, fault, lost, inconclusive."}),
    record::field(&LaunchedEvent::message,
                  {.key = "message", .doc = "Of one that did not complete.", .optional = true}));

inline std::vector<std::string_view> result_kinds() { return {"instance", "program"}; }

inline constexpr const char* kCameTo = "What an instance or a program came to so far.";
inline constexpr auto kResultFields = event_fields(
    "result", kCameTo, kCameTo,
    record::field(&ResultEvent::kind, {.key = "kind", .doc = "Which of both.", .words = result_kinds}),
    record::field(&ResultEvent::complete, {.key = "complete", .doc = "Nothing of it is left."}),
    record::either(
        &ResultEvent::unit, [](const ResultEvent& e) { return e.kind == "program"; },
        {.key = "unit", .doc = "The instance or the program."}, kInstanceFields, "/properties/instances/items",
        kProgramFields, "/properties/programs/items"),
    record::list(&ResultEvent::findings, {.key = "findings", .doc = "All findings of it so far."}, kFindingFields));

inline constexpr auto kExaminedFields = event_fields(
    "examined", "A finding that was looked at more closely after all had run: it takes the place of the one before.",
    "A finding was looked at more closely.",
    record::object(&ExaminedEvent::finding, {.key = "finding", .doc = "As it is now."}, kFindingFields));

inline constexpr const char* kGoesOn = "The run goes on, in another process: what was in flight is lost.";
inline constexpr auto kResumeFields = event_fields("resume", kGoesOn, kGoesOn);

inline constexpr const char* kAtItsEnd = "The run has come to its end.";
inline constexpr auto kEndFields = event_fields(
    "end", kAtItsEnd, kAtItsEnd,
    record::computed<EndEvent, ExitCode>([](const EndEvent& e) { return e.exit_code; },
                                         {.key = "exit_code", .doc = "As of the report."}),
    record::field(&EndEvent::stopped, {.key = "stopped", .doc = "Why before it was done; empty: it was done."}),
    record::field(&EndEvent::seconds, {.key = "seconds", .doc = "Time that it took, seconds."}));

inline constexpr auto kEvents =
    std::tuple(kStartFields, kLaunchFields, kLaunchedFields, kResultFields, kExaminedFields, kResumeFields, kEndFields);

}  // namespace mfma::reports
