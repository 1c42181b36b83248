#include "harness/checks/jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compilers/outcome.h"
#include "harness/conformance/execution/instruction_check.h"
#include "harness/gfx950/object/code_object.h"

namespace mfma::checks::detail {

using compilers::Compiled;
using compilers::Outcome;

compilers::Job job_of(const CheckOptions& options, const std::string& arch, const std::string& level) {
  compilers::Job job;
  job.arch = arch;
  job.level = level;
  job.extra_flags = options.extra_flags;
  job.timeout = options.timeout;
  return job;
}

Compiled compile(const CheckOptions& options, const kernels::Piece& piece, const std::string& arch,
                 const std::string& level) {
  compilers::Job job = job_of(options, arch, level);
  job.source = kernels::join({&piece, 1});
  return options.compiler->compile(job);
}

Finding finding_of(Code code, std::string subject, const std::string& arch, const std::string& level,
                   std::string message, const kernels::Piece& piece, const Compiled& compiled) {
  Finding f;
  f.code = code;
  f.severity = info_of(code).severity;
  f.subject = std::move(subject);
  f.arch = arch;
  f.levels = {level};
  f.message = std::move(message);
  f.source = kernels::join({&piece, 1});
  f.command = compiled.command;
  f.log = compiled.log;
  return f;
}

std::pair<Code, std::string> tool_failure(const Compiled& compiled) {
  return {Code::kToolFailure,
          fmt::format("{}: {}", compilers::name_of(compiled.outcome), compilers::telling_line(compiled.log))};
}

Judgement judge_call(bool expected, const Compiled& compiled) {
  const std::string line = compilers::telling_line(compiled.log);
  switch (compiled.outcome) {
    case Outcome::kOk:
      if (expected) return std::nullopt;
      return std::pair(Code::kAcceptForeign, std::string("compiled for a target that has no such instruction"));
    case Outcome::kCrash:
      return std::pair(Code::kAcceptCrash, fmt::format("the compiler crashed (exit status {})", compiled.exit_status));
    case Outcome::kTimeout:
      return std::pair(Code::kAcceptHang, std::string("the compiler did not end in time"));
    case Outcome::kDiagnostic:
      if (!expected) return std::nullopt;
      return std::pair(Code::kAcceptRejected, "refused: " + line);
    case Outcome::kBackendError:
      if (!expected)
        return std::pair(Code::kAcceptLate, std::string("refused by the backend only, without a place in the source"));
      return std::pair(Code::kAcceptRejected, "refused by the backend: " + line);
    case Outcome::kNoObject:
    case Outcome::kCannotRun:
    case Outcome::kNoSuchTarget:
      break;
  }
  return tool_failure(compiled);
}

bool says_nothing(Outcome outcome) { return outcome == Outcome::kCannotRun || outcome == Outcome::kNoSuchTarget; }

tl::expected<std::vector<gfx950::Instruction>, std::string> matrix_products(const Compiled& compiled,
                                                                            const std::string& kernel) {
  const auto object = gfx950::load_code_object(*compiled.object);
  if (!object) return tl::make_unexpected("the code object cannot be read: " + object.error());
  return conformance::matrix_products(**object, kernel);
}

}  // namespace mfma::checks::detail
