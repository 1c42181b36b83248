#include "harness/system/stop.h"

#include <signal.h>

#include <atomic>
#include <chrono>

namespace mfma::system {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t signalled = 0;
std::atomic<Clock::rep> deadline{Clock::time_point::max().time_since_epoch().count()};

void take_note(int /*signal*/) { signalled = 1; }

}  // namespace

void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = take_note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

void stop_after(double seconds) {
  deadline = (Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
                 .time_since_epoch()
                 .count();
}

std::string stop_reason() {
  if (signalled) return "signal";
  return Clock::now().time_since_epoch().count() >= deadline ? "time" : "";
}

}  // namespace mfma::system
