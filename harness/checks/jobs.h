// Compiling many small kernels. Internal to harness/checks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/checks/check.h"
#include "harness/gfx950/isa/decoder.h"

namespace mfma::checks::detail {

compilers::Job job_of(const CheckOptions& options, const std::string& arch, const std::string& level);
compilers::Compiled compile(const CheckOptions& options, const kernels::Piece& piece, const std::string& arch,
                            const std::string& level);

// A finding about one piece.
Finding finding_of(Code code, std::string subject, const std::string& arch, const std::string& level,
                   std::string message, const kernels::Piece& piece, const compilers::Compiled& compiled);

// What is wrong with a call that the target has (`expected`) or lacks, and in words; nothing when it was compiled or
// refused as it should be.
using Judgement = std::optional<std::pair<Code, std::string>>;
Judgement judge_call(bool expected, const compilers::Compiled& compiled);
// The same of an outcome that says nothing about the source.
std::pair<Code, std::string> tool_failure(const compilers::Compiled& compiled);

// True for outcomes that say nothing about the source: the compiler could not be run, the target is unknown.
bool says_nothing(compilers::Outcome outcome);

// conformance::matrix_products of a compiled object. The error says why there is no telling.
tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(const compilers::Compiled& compiled,
                                                                            const std::string& kernel);

}  // namespace mfma::checks::detail
