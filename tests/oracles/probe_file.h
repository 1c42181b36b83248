// Reads corpus/probes: operands in the format of `eval` with the bits of d under several profiles (README there).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "oracles/arithmetic/profile.h"
#include "oracles/plain/eval.h"

namespace mfma::test {

struct Probe {
  std::string id;
  std::string builtin;
  oracles::EvalCase operands;
  std::string eval_line;                          // as it stands in the file: what `eval` reads
  std::map<std::string, std::uint64_t> expected;  // by profile name
};

// One-line error with file and line.
tl::expected<std::vector<Probe>, std::string> read_probes(const std::filesystem::path& file);

// corpus/profiles/NAME.json, the name in lower case.
tl::expected<oracles::Profile, std::string> corpus_profile(const std::string& name);

}  // namespace mfma::test
