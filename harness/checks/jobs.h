// Compiling many small kernels. Internal to harness/checks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/checks/check.h"
#include "harness/gfx950/decoder.h"

namespace mfma::checks::detail {

// Runs body(0) to body(count - 1) on options.jobs threads.
void in_parallel(const CheckOptions& options, std::size_t count, const std::function<void(std::size_t)>& body);

compilers::Job job_of(const CheckOptions& options, const std::string& arch, const std::string& level);
compilers::Compiled compile(const CheckOptions& options, const kernels::Piece& piece, const std::string& arch,
                            const std::string& level);

// A finding about one piece.
Finding finding_of(Code code, std::string subject, const std::string& arch, const std::string& level, std::string message,
                   const kernels::Piece& piece, const compilers::Compiled& compiled);

// True for outcomes that say nothing about the source: the compiler could not be run, the target is unknown.
bool says_nothing(compilers::Outcome outcome);

// The matrix products of a kernel in an object, in address order. The error says why there is no telling.
tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(const gfx950::CodeObject& object,
                                                                            const std::string& kernel);
tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(const compilers::Compiled& compiled,
                                                                            const std::string& kernel);

}  // namespace mfma::checks::detail
