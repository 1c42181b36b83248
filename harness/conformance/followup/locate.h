// Where on a device a case runs wrong: which XCC, shader engine, compute unit and SIMD.
//
// The case is run in many workgroups at once, enough for one on each SIMD, by a kernel that is the instance's but also
// says what ran it (harness/kernels/locating_kernel.h). The kernel under test is not touched, and nothing of this makes
// or unmakes a finding.
#pragma once

#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/conformance/execution/subject.h"
#include "reports/model/report.h"

namespace mfma::conformance {

inline constexpr std::uint32_t kLocatingGroups = 2048;  // to a launch: two for each SIMD of 256 compute units
inline constexpr int kLocatingLaunches = 2;

// `level`: of the kernel. Where the kernel cannot be built or run, Location::message says why.
[[nodiscard]] reports::Location locate(const Subject& subject, const compilers::Compiler& compiler,
                                       const std::string& level, const cases::Case& c);

// The first few findings of each builtin with a wrong or changing D.
void locate_failures(const Subject& subject, std::vector<reports::Finding>& findings);

}  // namespace mfma::conformance
