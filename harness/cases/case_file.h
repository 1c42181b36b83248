// Case files: a case with all that is needed to run it again, as text that a person can read and edit.
//
// docs/case-file.md has the format with an example. Reading is strict: an unknown version, an unknown or repeated key,
// a count or a digit that does not fit, a file that stops before its end are refused in one line, "FILE:LINE: what is
// wrong, what to do". What is left out of a file and has a default says so there. Writing and reading give back the
// same CaseFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "harness/cases/case.h"

namespace mfma::cases {

inline constexpr int kCaseFileVersion = 1;
// Bytes of a file; the largest that is ever written is below a tenth of it.
inline constexpr std::size_t kLargestCaseFile = std::size_t{1} << 20;

// Of how many runs how many failed.
struct ReplayLabel {
  std::uint64_t failed = 0, runs = 0;  // failed <= runs, runs >= 1
  bool operator==(const ReplayLabel&) const = default;
};
// "deterministic", "intermittent", "not reproduced".
std::string_view word_of(const ReplayLabel& label);

struct CaseFile {
  std::vector<std::string> comments;  // one line each, without the '#' and the blank after it
  Case c;
  // Empty: not known. None of them takes part in what the case computes but level, flags and the reading of cbsz.
  std::string compiler, compiler_version, compiler_hash;  // compiler: as it was named on the command line
  std::string level;                                      // "O2"
  std::vector<std::string> flags;                         // beyond those that every job gets
  std::string device;
  std::string profile, profile_source, profile_digest;  // of the oracle; digest: of the model that the instance gets
  std::string device_profile, device_profile_source;    // of an emulated device, where it is another
  std::string cbsz_reading;                             // "per-set" or "whole-wave"
  std::optional<ReplayLabel> label;
  std::optional<std::vector<std::uint64_t>> expected, actual;  // D by element, [block][row][column]

  bool operator==(const CaseFile&) const = default;
};

// Precondition: the images have the sizes that the instance's builtin declares, and expected and actual as many
// elements as D.
std::string to_text(const CaseFile& file);
// `file_name`: for error messages.
tl::expected<CaseFile, std::string> parse_case_file(std::string_view text, std::string_view file_name);

tl::expected<CaseFile, std::string> load_case_file(const std::filesystem::path& path);
// The folder is made if it is not there; the file appears whole or not at all.
tl::expected<void, std::string> save_case_file(const CaseFile& file, const std::filesystem::path& path);

}  // namespace mfma::cases
