// Waivers: what is known to be wrong and accepted for now, so that a compiler or a device is judged by what changed.
// docs/reports.md has the file format.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mfma::reports {

struct Waiver {
  std::string file;          // where it stands
  std::uint64_t number = 0;  // its place in the file, from 1

  // What it is about. An empty one is about everything; globs are fnmatch(3)'s.
  std::string finding;  // of check-compiler: glob over the finding's key; then none of the next group is set
  std::string builtin, instance, shape;    // globs; with `shape` it is about programs, else about instances
  std::string code, property, level;       // in full: "wrong-bits", "permute-rows", "O2"
  std::string arch, device;                // globs; device: over its id and over its description
  std::string compiler;                    // glob over the first line of --version
  std::string compiler_from, compiler_to;  // versions, both inclusive: "22.1" to "22.1" is every 22.1.x

  std::string reason, link;  // one line, and where to read more
  std::string expires;       // "2027-03-31", the last day (UTC) on which it waives; empty: none
  bool may_pass = false;     // it may waive nothing, as of what fails now and then

  bool operator==(const Waiver&) const = default;
};

struct WaiverField {
  const char* name;
  std::string Waiver::*member;
};
// All that are texts, by their keys in a file.
const std::array<WaiverField, 15>& waiver_fields();

// Whether it is a version such as "22.1.8".
bool is_version(std::string_view text);
// Whether a compiler of this --version line is one that the waiver is about.
bool is_about_compiler(const Waiver& waiver, const std::string& version_line);
// `today` as "2026-11-30".
bool is_expired(const Waiver& waiver, std::string_view today);
// "waiver 3 of w.json (builtin mfma_*, code wrong-bits)"
std::string describe(const Waiver& waiver);

// kUsed waives something. kUnused and kExpired fail the run. kIdle says nothing: what it is about was not run, or not
// to its end, or it may pass.
enum class WaiverState { kUsed, kUnused, kExpired, kIdle };

inline constexpr std::array kWaiverStates = {WaiverState::kUsed, WaiverState::kUnused, WaiverState::kExpired,
                                             WaiverState::kIdle};

struct JudgedWaiver {
  Waiver waiver;
  WaiverState state = WaiverState::kIdle;
  std::uint64_t findings = 0;    // that it matches
  std::uint64_t units = 0;       // instances or programs that it is about and that ran to their end
  std::uint64_t units_left = 0;  // and those that did not

  bool operator==(const JudgedWaiver&) const = default;
};

}  // namespace mfma::reports
