// What check-compiler finds: stable codes, their severities, and a finding with all that repeats it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compilers/compiler.h"
#include "harness/kernels/kernel.h"

namespace mfma::checks {

// kGate decides the exit code, kWarn is shown, kIgnore is only counted.
enum class Severity { kGate, kWarn, kIgnore };
std::string_view name_of(Severity s);  // "gate", "warn", "ignore"
std::optional<Severity> severity_named(std::string_view name);

enum class Code {
  kAcceptRejected,
  kAcceptForeign,
  kAcceptLate,
  kAcceptCrash,
  kAcceptHang,
  kImmediateChanged,
  kImmediateReserved,
  kImmediateUndefined,
  kImmediateBackend,
  kImmediateCrash,
  kImmediateHang,
  kImmediateVariable,
  kScaleZeroByLevel,
  kEncodingCount,
  kEncodingOpcode,
  kEncodingImmediate,
  kEncodingRegisterClass,
  kEncodingRegisterWidth,
  kEncodingRegisterAlignment,
  kEncodingScaleForm,
  kEncodingScaleSource,
  kWaitMissing,
  kWaitDisputed,
  kWaitUnseen,
  kExecutesWrong,
  kNotExecuted,
  kToolFailure,
};

// A row per code: what tools match on and people read.
struct CodeInfo {
  Code code;
  std::string_view name;  // "immediate-crash"
  Severity severity;      // unless the user maps it
  std::string_view meaning;
  std::string_view rule;  // where the rule stands
};
std::span<const CodeInfo> all_codes();
const CodeInfo& info_of(Code code);
std::optional<Code> code_named(std::string_view name);

struct Finding {
  Code code = Code::kToolFailure;
  Severity severity = Severity::kGate;
  // What it is about, the same for every compiler and level: "mfma_scale_f32_16x16x128_f8f6f4 cbsz=-1", an instance's
  // id, "mfma_f32_16x16x8_xf32".
  std::string subject;
  std::string arch;
  std::vector<std::string> levels;          // at which it was seen, in the order they were tried
  std::vector<std::string> levels_without;  // tried, and not seen
  std::string message;                      // one line
  std::string source;                       // a translation unit that shows it; empty when none is needed
  std::vector<std::string> command;         // of the compiler, as Compiled::command
  std::string log;
  std::string waived;  // the reason, when a waiver covers it; else empty

  bool gates() const { return severity == Severity::kGate && waived.empty(); }
};

// "immediate-crash mfma_scale_f32_16x16x128_f8f6f4 cbsz=-1 on gfx950": what waivers match, levels and compiler apart.
std::string key_of(const Finding& f);

// One finding per code, subject, arch and message, with its levels in the order of `tried`; sorted by code (as in
// all_codes()), then by first appearance.
std::vector<Finding> merged(std::vector<Finding> findings, const std::vector<std::string>& tried);

}  // namespace mfma::checks
