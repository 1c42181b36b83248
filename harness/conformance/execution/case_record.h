// A case under a subject, as the file that replays it.
#pragma once

#include <string>

#include "harness/cases/case_file.h"
#include "harness/conformance/execution/subject.h"

namespace mfma::conformance {

// Without label and results.
[[nodiscard]] cases::CaseFile case_file_of(const Subject& subject, const compilers::Compiler& compiler,
                                           const std::string& level, const cases::Case& c);

// "mfma_f32_4x4x1f32__cbsz0_abid0_blgp0.O2.1f2e3d4c.seed1-7": kernel, level, the first half of the compiler's hash, and
// the numbers of the case. A function of them alone, so that a run that fails again writes the same names.
[[nodiscard]] std::string case_file_name(const cases::CaseFile& file);

}  // namespace mfma::conformance
