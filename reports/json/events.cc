#include "reports/json/events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/system/whole_file.h"
#include "reports/json/json.h"
#include "reports/json/json_parts.h"

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
  log->write(line_of({{"event", "start"}, {"schema", kEventsSchema}, {"run", Json::parse(to_json(planned))}}));
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
  log->write(line_of({{"event", "resume"}}));
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
  write(line_of({{"event", "launch"}, {"n", n}, {"kernel", kernel}, {"first", first_case}, {"cases", cases}}));
  return n;
}

void EventLog::launched(std::uint64_t n, const std::string& status, const std::string& message) {
  Json json = {{"event", "launched"}, {"n", n}, {"status", status}};
  if (!message.empty()) json["message"] = message;
  write(line_of(json));
}

void EventLog::result(const UnitResult& result, bool is_program, bool complete) {
  Json json = {{"event", "result"}, {"kind", is_program ? "program" : "instance"}, {"complete", complete}};
  json["unit"] =
      is_program ? json::unit(result.unit, "shape", "program") : json::unit(result.unit, "builtin", "instance");
  json["findings"] = Json::array();
  for (const Finding& f : result.findings) json["findings"].push_back(json::finding(f, json::Detail::kFull));
  write(line_of(json));
}

void EventLog::end(const RunReport& report) {
  for (const Finding& f : report.findings) {
    if (f.reduced || f.located || f.across || !f.attribution.empty())
      write(line_of({{"event", "examined"}, {"finding", json::finding(f, json::Detail::kFull)}}));
  }
  write(line_of({{"event", "end"},
                 {"exit_code", static_cast<int>(report.exit_code())},
                 {"stopped", report.stopped},
                 {"seconds", report.seconds}}));
}

std::string EventLog::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace mfma::reports
