// What a bug report about a finding needs, as a folder that needs no file of ours.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "harness/checks/finding.h"

namespace mfma::checks {

// "immediate-crash-mfma_scale_f32_16x16x128_f8f6f4-cbsz_-1-gfx950": of letters, digits and "._-%" only; unique
// for each key.
std::string bundle_name(const Finding& f);

// Writes PARENT/bundle_name(f): repro.hip (the source), repro.sh (compiles it at each level that was tried and says
// what came of it; the compiler is $CXX, or the one that was tested), README.md (what is wrong, where the rule stands,
// the levels with and without it), log.txt. From `number` 2 on it ends the name: findings of one key may differ in
// their message. A folder of that name is written anew. Returns the folder, or one line.
tl::expected<std::filesystem::path, std::string> write_bundle(const Finding& f, const compilers::Identity& compiler,
                                                              const std::filesystem::path& parent, int number = 1);

}  // namespace mfma::checks
