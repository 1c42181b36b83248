#include "harness/compilers/outcome.h"

#include <algorithm>
#include <array>

namespace mfma::compilers {
namespace {

constexpr int kExitSoftware = 70;  // clang's exit after "fatal error: error in backend"

struct TextRule {
  std::string_view text;
  Outcome outcome;
};

// The first rule whose text occurs wins. clang prints "Stack dump:" after fatal backend errors as well as after
// crashes, so the backend's own words come first; a full disk is the machine's fault and comes before everything.
constexpr std::array kTextRules{
    TextRule{"No space left on device", Outcome::kCannotRun},
    TextRule{"Disk quota exceeded", Outcome::kCannotRun},
    TextRule{"doesn't exist!", Outcome::kCannotRun},  // unable to execute command: Executable "lld" doesn't exist!
    TextRule{"unable to execute command: posix_spawn failed", Outcome::kCannotRun},
    TextRule{"unable to execute command", Outcome::kCrash},  // "...: Segmentation fault": a child of the driver died
    TextRule{"command failed due to signal", Outcome::kCrash},
    TextRule{"error in backend", Outcome::kBackendError},
    TextRule{"Cannot select", Outcome::kBackendError},
    TextRule{"LLVM ERROR:", Outcome::kBackendError},
    TextRule{"PLEASE submit a bug report", Outcome::kCrash},
    TextRule{"Stack dump:", Outcome::kCrash},
    TextRule{"invalid target ID", Outcome::kNoSuchTarget},  // clang 12 and later
    TextRule{"unsupported HIP gpu architecture", Outcome::kNoSuchTarget},
    TextRule{"Unsupported CUDA gpu architecture", Outcome::kNoSuchTarget},
    TextRule{"unsupported CUDA gpu architecture", Outcome::kNoSuchTarget},
    TextRule{"unknown target CPU", Outcome::kNoSuchTarget},
    TextRule{"unknown target triple", Outcome::kNoSuchTarget},  // LLVM built without AMDGPU
    TextRule{"unable to create target", Outcome::kNoSuchTarget},
};

}  // namespace

Outcome classify(const system::Finished& finished) {
  if (finished.timed_out) return Outcome::kTimeout;
  if (finished.exit_status == 0) return Outcome::kOk;
  if (finished.exit_status < 0) return Outcome::kCrash;
  const auto rule = std::find_if(kTextRules.begin(), kTextRules.end(), [&finished](const TextRule& r) {
    return finished.output.find(r.text) != std::string::npos;
  });
  if (rule != kTextRules.end()) return rule->outcome;
  if (finished.exit_status == kExitSoftware) return Outcome::kBackendError;
  // 254: the driver after a crash of its own front end; 128 + n: a shell's word for signal n.
  return finished.exit_status >= 128 ? Outcome::kCrash : Outcome::kDiagnostic;
}

std::string telling_line(std::string_view log) {
  std::string_view first, best;
  while (!log.empty() && best.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (first.empty() && line.find_first_not_of(" \t\r") != std::string_view::npos) first = line;
    if (line.find("error") != std::string_view::npos || line.find("ERROR") != std::string_view::npos) best = line;
  }
  std::string text((best.empty() ? first : best).substr(0, 300));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

std::string_view name_of(Outcome o) {
  switch (o) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kDiagnostic:
      return "diagnostic";
    case Outcome::kBackendError:
      return "backend error";
    case Outcome::kCrash:
      return "crash";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kNoSuchTarget:
      return "no such target";
    case Outcome::kNoObject:
      return "no object";
    case Outcome::kCannotRun:
      return "cannot run";
  }
  return "unknown";
}

}  // namespace mfma::compilers
