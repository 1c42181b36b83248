// From the text of a kernel to its launches, in one way for calls, programs and what follows a failure up: compiled,
// loaded or refused, launched, and what stands in the way as a finding.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/conformance/execution/instruction_check.h"
#include "harness/conformance/execution/subject.h"
#include "harness/kernels/kernel.h"
#include "reports/model/report.h"

namespace mfma::conformance {

// Why a kernel cannot be launched.
struct Refusal {
  reports::FindingKind kind = reports::FindingKind::kCompileRejected;
  std::string message;  // one line
  std::string log;      // the compiler's
};

// A kernel that one compiler made at one level, on the device; or that is not there.
struct Kernel {
  const compilers::Compiler* compiler = nullptr;  // outlives it
  std::string level, name;
  compilers::Compiled compiled;
  std::shared_ptr<const compilers::Compiled> unexplained;  // kernels::BuiltPiece::unexplained
  std::shared_ptr<devices::Module> module;                 // null: not compiled, or refused
  std::string refused;                                     // by the device, in its words

  // Nothing where it can be launched. `not_compiled` begins the line where the compiler made no object: "the compiler
  // did not compile this instance".
  [[nodiscard]] std::optional<Refusal> refusal(std::string_view not_compiled) const;
};

// What a launch that did not complete amounts to.
[[nodiscard]] reports::FindingKind kind_of(devices::LaunchStatus status);

// A finding on what a compiler made at a level; `finding_of_call` on the call of an instance in it.
[[nodiscard]] reports::Finding finding_of(const Subject& subject, const compilers::Compiler& compiler,
                                          const std::string& level, reports::FindingKind kind, std::string message);
[[nodiscard]] reports::Finding finding_of_call(const Subject& subject, const Kernel& kernel,
                                               const catalogue::Instance& instance, reports::FindingKind kind,
                                               std::string message);

// Compiles and loads. An object is loaded once, however many kernels are in it. One thread at a time.
class Executor {
 public:
  // `subject` (flags, device, oracle) must outlive it.
  explicit Executor(const Subject& subject) : subject_(subject) {}

  // One kernel for each piece, in order, compiled together (kernels::build_pieces).
  [[nodiscard]] std::vector<Kernel> build(const compilers::Compiler& compiler, const std::string& level,
                                          std::span<const kernels::Piece> pieces);
  [[nodiscard]] Kernel build(const compilers::Compiler& compiler, const std::string& level,
                             const kernels::Piece& piece) {
    return std::move(build(compiler, level, std::span(&piece, 1)).front());
  }

  // The kernel of that name in a source of its own.
  [[nodiscard]] Kernel build_source(const compilers::Compiler& compiler, const std::string& level, std::string name,
                                    std::string source);

  // What is wrong with the MFMA in a kernel that is to call the instance once, and with those of one that calls several
  // opcodes (instruction_check.h); empty: nothing, or there is no object.
  [[nodiscard]] std::string wrong_instruction(const Kernel& kernel, const catalogue::Instance& instance);
  [[nodiscard]] std::string wrong_opcodes(const Kernel& kernel, const std::set<int>& opcodes);

 private:
  struct Loaded {
    std::shared_ptr<const std::vector<std::byte>> object;  // known by its address, so that it must stay
    std::shared_ptr<devices::Module> module;
    std::string refused;
    std::unique_ptr<InstructionCheck> check;
  };
  [[nodiscard]] compilers::Job job_at(const std::string& level) const;
  [[nodiscard]] Kernel kernel_of(const compilers::Compiler& compiler, const std::string& level, std::string name,
                                 compilers::Compiled compiled);
  const InstructionCheck* check_of(const Kernel& kernel);
  Loaded& load(const std::shared_ptr<const std::vector<std::byte>>& object);

  const Subject& subject_;
  std::map<const std::byte*, Loaded> objects_;
};

}  // namespace mfma::conformance
