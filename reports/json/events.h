// The event log of a run: a JSON object to a line, each written before anything that follows it is done, so that it
// holds what a run had whenever it is killed. reports/schema/events-1.json describes the lines.
//
//   {"event": "start", "schema": "mfma-conform/events/1", "run": the report with nothing run}
//   {"event": "launch", "n": 1, "kernel": ..., "first": case id, "cases": 12}      before a launch
//   {"event": "launched", "n": 1, "status": "completed"}                           after it
//   {"event": "result", "kind": "instance", "complete": true, "unit": ..., "findings": [...]}
//   {"event": "examined", "finding": {...}}     a finding again, reduced or with who else fails
//   {"event": "resume"}, {"event": "end", "exit_code": 0, "stopped": "", "seconds": 1.5}
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "reports/model/report.h"

namespace mfma::reports {

inline constexpr const char* kEventsSchema = "mfma-conform/events/1";

// Thread-safe. What goes wrong with the file (a full disk) is kept in error(), and then nothing more is written.
class EventLog {
 public:
  // A new log; a file that is there already is refused, as it may be what is left of a run.
  static tl::expected<std::unique_ptr<EventLog>, std::string> create(const std::filesystem::path& file,
                                                                     const RunReport& planned);
  // Goes on at the end of a log, after its last whole line.
  static tl::expected<std::unique_ptr<EventLog>, std::string> append(const std::filesystem::path& file);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // The number to give to launched().
  std::uint64_t launch(const std::string& kernel, const std::string& first_case, std::size_t cases);
  void launched(std::uint64_t n, const std::string& status, const std::string& message);
  void result(const UnitResult& result, bool is_program, bool complete);
  // What is said only once all has run: findings that were reduced or examined, and the end.
  void end(const RunReport& report);
  // Empty, or what went wrong, one line.
  std::string error() const;

 private:
  EventLog(int fd, std::filesystem::path file) : fd_(fd), file_(std::move(file)) {}
  void write(const std::string& line);

  const int fd_;
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::uint64_t launches_ = 0;
  std::string error_;
};

struct Events {
  RunReport planned;
  std::map<std::string, UnitResult> complete;  // by id: nothing of it was left
  std::map<std::string, UnitResult> partial;   // by id, of those that are not complete: the last
  std::vector<std::string> in_flight;          // launches without an end, of the last part: "kernel, case, cases"
  std::vector<Finding> examined;  // in place of those of the same unit, code, compiler, level, case and property
  bool ended = false;             // the run came to its end
  std::string stopped;            // of the end
  double seconds = 0;             // of the end
};

// True where the file begins as an event log does.
bool is_event_log(const std::filesystem::path& file);
// A last line that is not whole is left out: the run was killed as it wrote it. One line with file and line number on
// anything else that is not such a log.
tl::expected<Events, std::string> read_events(const std::filesystem::path& file);
// The report of what the log has; what it lacks is not run.
RunReport report_of(const Events& events);

}  // namespace mfma::reports
