#include "reports/json/events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/system/whole_file.h"
#include "reports/json/event_fields.h"
#include "reports/json/json.h"
#include "reports/json/record_json.h"

namespace mfma::reports {
namespace {

using json::Json;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string reason(int error) { return std::generic_category().message(error); }

std::string write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return reason(errno);
    at += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace

tl::expected<std::unique_ptr<EventLog>, std::string> EventLog::create(const std::filesystem::path& file,
                                                                      const RunReport& planned) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) {
    return tl::make_unexpected(
        fmt::format("{} is there already: go on with it by --resume, or remove it", file.string()));
  }
  if (fd < 0)
    return tl::make_unexpected(fmt::format("cannot write the event log {}: {}", file.string(), reason(errno)));
  std::unique_ptr<EventLog> log(new EventLog(fd, file));
  Json start = json::to_json(StartEvent(), kStartFields);
  start["run"] = Json::parse(to_json(planned));
  log->write(line_of(start));
  if (!log->error().empty()) return tl::make_unexpected(log->error());
  return log;
}

tl::expected<std::unique_ptr<EventLog>, std::string> EventLog::append(const std::filesystem::path& file) {
  const auto text = system::read_whole_file(file);
  const int fd = text ? open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (fd < 0)
    return tl::make_unexpected(fmt::format("cannot go on with the event log {}: {}", file.string(), reason(errno)));
  std::unique_ptr<EventLog> log(new EventLog(fd, file));
  const std::size_t whole = text->rfind('\n') + 1;  // 0 where there is no line
  if (ftruncate(fd, static_cast<off_t>(whole)) != 0)
    return tl::make_unexpected(fmt::format("cannot write {}: {}", file.string(), reason(errno)));
  log->write(line_of(json::to_json(ResumeEvent(), kResumeFields)));
  if (!log->error().empty()) return tl::make_unexpected(log->error());
  return log;
}

EventLog::~EventLog() { close(fd_); }

void EventLog::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!error_.empty()) return;
  if (const std::string why = write_all(fd_, line); !why.empty())
    error_ = fmt::format("cannot write the event log {}: {}", file_.string(), why);
}

std::uint64_t EventLog::launch(const std::string& kernel, const std::string& first_case, std::size_t cases) {
  std::uint64_t n = 0;
  {
    const std::lock_guard lock(mutex_);
    n = ++launches_;
  }
  write(line_of(json::to_json(LaunchEvent{n, kernel, first_case, cases}, kLaunchFields)));
  return n;
}

void EventLog::launched(std::uint64_t n, const std::string& status, const std::string& message) {
  write(line_of(json::to_json(LaunchedEvent{n, status, message}, kLaunchedFields)));
}

void EventLog::result(const UnitResult& result, bool is_program, bool complete) {
  const ResultEvent event{is_program ? "program" : "instance", complete, result.unit, result.findings};
  write(line_of(json::to_json(event, kResultFields)));
}

void EventLog::end(const RunReport& report) {
  for (const Finding& f : report.findings) {
    if (f.reduced || f.located || f.across || !f.attribution.empty())
      write(line_of(json::to_json(ExaminedEvent{f}, kExaminedFields)));
  }
  write(line_of(json::to_json(EndEvent{report.exit_code(), report.stopped, report.seconds}, kEndFields)));
}

std::string EventLog::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace mfma::reports
