#include "harness/checks/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mfma::checks {
namespace {

constexpr std::array kCodes{
    CodeInfo{Code::kAcceptRejected, "accept-rejected", Severity::kGate, "a builtin that the target has is refused",
             "the opcode tables of the CDNA1 to CDNA4 ISA manuals"},
    CodeInfo{Code::kAcceptForeign, "accept-foreign", Severity::kGate, "a builtin that the target lacks is compiled",
             "the opcode tables of the CDNA1 to CDNA4 ISA manuals"},
    CodeInfo{Code::kAcceptLate, "accept-late", Severity::kWarn,
             "a builtin that the target lacks is refused by the backend, without a diagnostic that names the place",
             "clang's own rule for builtins: \"needs target feature\""},
    CodeInfo{Code::kAcceptCrash, "accept-crash", Severity::kGate, "the compiler crashes on a builtin's plain call",
             "a compiler accepts or diagnoses"},
    CodeInfo{Code::kAcceptHang, "accept-hang", Severity::kGate, "the compiler does not end on a builtin's plain call",
             "a compiler accepts or diagnoses"},
    CodeInfo{Code::kImmediateChanged, "immediate-changed", Severity::kGate,
             "an immediate that does not fit its field is encoded as another value, without a word",
             "CDNA4 ISA Table 89: widths of CBSZ, ABID, BLGP"},
    CodeInfo{Code::kImmediateReserved, "immediate-reserved", Severity::kWarn,
             "a format code that the manual reserves is encoded", "CDNA4 ISA 7.1.5: format codes 0 to 4"},
    CodeInfo{Code::kImmediateUndefined, "immediate-undefined", Severity::kWarn,
             "an immediate that the manual leaves undefined for this shape is encoded",
             "CDNA4 ISA 7.1.6: 2^cbsz blocks at most, abid below 2^cbsz"},
    CodeInfo{Code::kImmediateBackend, "immediate-backend-error", Severity::kWarn,
             "an immediate out of range ends in a backend error, without a diagnostic that names the place",
             "a compiler accepts or diagnoses"},
    CodeInfo{Code::kImmediateCrash, "immediate-crash", Severity::kGate,
             "an immediate out of range crashes the compiler", "a compiler accepts or diagnoses"},
    CodeInfo{Code::kImmediateHang, "immediate-hang", Severity::kGate,
             "on an immediate out of range the compiler does not end", "a compiler accepts or diagnoses"},
    CodeInfo{Code::kImmediateVariable, "immediate-variable", Severity::kGate,
             "an immediate that is no constant is not diagnosed", "the builtins' prototypes: constant integers"},
    CodeInfo{Code::kScaleZeroByLevel, "scale-zero-by-level", Severity::kGate,
             "the same source with scales of zero is scaled at one level (2^-127) and unscaled (1.0) at another",
             "CDNA4 ISA 7.1.5: ABID[0] decides; scale byte 0 is 2^-127"},
    CodeInfo{Code::kEncodingCount, "encoding-count", Severity::kGate,
             "the object does not hold exactly as many MFMAs as the source calls", "one instruction per builtin"},
    CodeInfo{Code::kEncodingOpcode, "encoding-opcode", Severity::kGate, "another MFMA than the one that was called",
             "CDNA4 ISA 12.10, 13.3.6"},
    CodeInfo{Code::kEncodingImmediate, "encoding-immediate", Severity::kGate,
             "cbsz, abid, blgp or op_sel are encoded with other values than were asked for",
             "CDNA4 ISA Table 89, 7.1.5"},
    CodeInfo{Code::kEncodingRegisterClass, "encoding-register-class", Severity::kGate,
             "an operand is in a kind of register that it cannot be in", "CDNA4 ISA 13.3.6: ACC, ACC_CD"},
    CodeInfo{Code::kEncodingRegisterWidth, "encoding-register-width", Severity::kGate,
             "an operand has another number of registers, or runs past the last one", "CDNA4 ISA 7.1.4, 7.1.5"},
    CodeInfo{Code::kEncodingRegisterAlignment, "encoding-register-alignment", Severity::kGate,
             "an operand of several registers begins at an odd one", "CDNA4 ISA 3.6.4"},
    CodeInfo{Code::kEncodingScaleForm, "encoding-scale-form", Severity::kGate,
             "the scaled form where the unscaled one was called, or the reverse", "CDNA4 ISA 7.1.5"},
    CodeInfo{Code::kEncodingScaleSource, "encoding-scale-source", Severity::kGate,
             "a scale is not read from a VGPR; the hardware then ignores op_sel and reads bits 30:23",
             "llvm/llvm-project#158117"},
    CodeInfo{Code::kWaitMissing, "wait-missing", Severity::kGate,
             "an instruction comes too early after another; what it reads or leaves is not defined",
             "CDNA4 ISA Tables 11 and 38"},
    CodeInfo{Code::kWaitDisputed, "wait-disputed", Severity::kWarn,
             "the same by a rule that the manual and LLVM do not share", "docs/discrepancies.md, wait-states"},
    CodeInfo{Code::kWaitUnseen, "wait-unseen", Severity::kWarn,
             "not every path of a kernel could be looked at: no verdict on its wait states", "docs/compilers.md"},
    CodeInfo{Code::kExecutesWrong, "executes-wrong", Severity::kGate,
             "on the emulated device the kernel gives other bits than the oracle, or uses what is not its own",
             "docs/numerics.md"},
    CodeInfo{Code::kNotExecuted, "not-executed", Severity::kWarn,
             "the emulated device could not run the kernel: no verdict on it", "docs/architecture.md"},
    CodeInfo{Code::kToolFailure, "tool-failure", Severity::kGate,
             "the compiler or the machine failed in a way that says nothing about the builtin", "docs/architecture.md"},
};

}  // namespace

std::string_view name_of(Severity s) {
  return s == Severity::kGate ? "gate" : s == Severity::kWarn ? "warn" : "ignore";
}

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity s : {Severity::kGate, Severity::kWarn, Severity::kIgnore}) {
    if (name_of(s) == name) return s;
  }
  return std::nullopt;
}

std::span<const CodeInfo> all_codes() { return kCodes; }

const CodeInfo& info_of(Code code) {
  return *std::find_if(kCodes.begin(), kCodes.end(), [code](const CodeInfo& row) { return row.code == code; });
}

std::optional<Code> code_named(std::string_view name) {
  const auto row = std::find_if(kCodes.begin(), kCodes.end(), [name](const CodeInfo& r) { return r.name == name; });
  return row == kCodes.end() ? std::nullopt : std::optional(row->code);
}

std::string key_of(const Finding& f) { return fmt::format("{} {} on {}", info_of(f.code).name, f.subject, f.arch); }

std::vector<Finding> merged(std::vector<Finding> findings, const std::vector<std::string>& tried) {
  std::vector<Finding> out;
  for (Finding& f : findings) {
    const auto same = std::find_if(out.begin(), out.end(), [&f](const Finding& o) {
      return o.code == f.code && o.subject == f.subject && o.arch == f.arch && o.message == f.message;
    });
    if (same == out.end()) {
      out.push_back(std::move(f));
    } else {
      same->levels.insert(same->levels.end(), f.levels.begin(), f.levels.end());
    }
  }
  for (Finding& f : out) {
    const std::vector<std::string> seen = std::move(f.levels);
    f.levels.clear();
    f.levels_without.clear();
    for (const std::string& level : tried) {
      (std::find(seen.begin(), seen.end(), level) != seen.end() ? f.levels : f.levels_without).push_back(level);
    }
  }
  std::vector<Finding> sorted;
  for (const CodeInfo& info : all_codes()) {
    for (Finding& f : out) {
      if (f.code == info.code) sorted.push_back(std::move(f));
    }
  }
  return sorted;
}

}  // namespace mfma::checks
