// What a bug report about a case needs, as a folder that needs no file of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/conformance/followup/attribution.h"
#include "harness/conformance/followup/case_runner.h"

namespace mfma::bundles {

struct CaseBundle {
  const conformance::Subject* subject = nullptr;  // not owned; compilers[0] is the one reported
  cases::Case c;
  std::string level;
  conformance::Attribution attribution;  // of subject->compilers, compilers[0] first
  // Elements of D that were seen to fail somewhere: they decide the program's exit code even where they rest on a
  // model.
  std::vector<std::size_t> seen_failing;
};

struct WrittenBundle {
  conformance::Observation seen;  // of the object that the compiler made of repro.hip, on the device
  std::size_t lines = 0;          // of repro.hip
};

// Writes into `folder`, made where it is not there: repro.hip (repro_source.h), repro.ll and repro.s of its device
// side, repro.sh (repro_script.h), README.md. Files of these names are replaced, others left alone. One line where the
// compiler makes no object of the program, or a file cannot be written.
tl::expected<WrittenBundle, std::string> write_case_bundle(const CaseBundle& bundle,
                                                           const std::filesystem::path& folder);

// The kernel's machine code, an instruction a line with its address, the MFMA marked "<==".
std::string listing(const std::vector<std::byte>& object, const std::string& kernel);

}  // namespace mfma::bundles
