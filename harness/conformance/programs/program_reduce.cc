#include "harness/conformance/programs/program_reduce.h"

#include <algorithm>
#include <optional>

namespace mfma::conformance {
namespace {

using kernels::Op;
using kernels::OpKind;
using kernels::Program;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Four scales of 1.0. Zeros would make another program: clang takes a pair of them for the form without scales
// (docs/compilers.md, scale-zero-by-level), and the reduction would end at that.
constexpr std::uint32_t kScalesOfOne = 0x7f7f7f7f;

bool is_scale(const Program& p, std::size_t index) {
  return std::any_of(p.ops.begin(), p.ops.end(), [&](const Op& op) {
    if (op.kind != OpKind::kMultiply || op.args.size() != 5) return false;
    return at(op.args[3]) == index || at(op.args[4]) == index;
  });
}

// The program with operation `index` gone: its users take its argument number `arg` (of the same size), or, where
// `arg` is none of them, a constant.
std::optional<Program> without(const Program& program, std::size_t index, std::size_t arg) {
  Program p = program;
  Op& op = p.ops[index];
  switch (op.kind) {
    case OpKind::kLoop:
    case OpKind::kEndLoop:
    case OpKind::kCarry:
    case OpKind::kConstant:
    case OpKind::kTiled:
      return std::nullopt;
    default:
      break;
  }
  const kernels::ValueType type = op.type;
  if (arg < op.args.size()) {
    if (p.ops[at(op.args[arg])].type != type) return std::nullopt;
    // A pin is the least that can stand for a value: it keeps its name.
    if (op.kind == OpKind::kPin) {
      const kernels::ValueId from = op.args[0];
      for (Op& user : p.ops) std::replace(user.args.begin(), user.args.end(), static_cast<int>(index), from);
      for (kernels::Output& o : p.outputs) {
        if (at(o.value) == index) o.value = from;
      }
      return p;
    }
    const kernels::ValueId from = op.args[arg];
    op = {.kind = OpKind::kPin, .type = type, .args = {from}, .pin = kernels::RegisterForm::kVgpr};
    return p;
  }
  const std::uint32_t dword = is_scale(p, index) ? kScalesOfOne : 0;
  op = {.kind = OpKind::kConstant, .type = type, .dwords = std::vector<std::uint32_t>(at(type.registers()), dword)};
  return p;
}

class Reducer {
 public:
  Reducer(const Program& program, const std::function<bool(const Program&)>& fails, int most)
      : best_(program), fails_(fails), most_(most) {}

  Reduced run() {
    bool smaller = true;
    while (smaller && tries_ < most_) {
      smaller = false;
      for (std::size_t k = best_.outputs.size(); k-- > 0;) {
        if (best_.outputs.size() == 1 || k >= best_.outputs.size()) continue;
        Program p = best_;
        p.outputs.erase(p.outputs.begin() + static_cast<std::ptrdiff_t>(k));
        smaller |= keep(p);
      }
      for (std::size_t k = best_.trip_counts.size(); k-- > 0;) {
        if (best_.trip_counts.size() == 1) break;
        Program p = best_;
        p.trip_counts.erase(p.trip_counts.begin() + static_cast<std::ptrdiff_t>(k));
        smaller |= keep(p);
      }
      for (std::size_t i = best_.ops.size(); i-- > 0;) smaller |= drop(i);
    }
    return {best_, tries_};
  }

 private:
  bool drop(std::size_t index) {
    for (std::size_t arg = 0; arg <= 5; ++arg) {
      if (index >= best_.ops.size()) return false;  // a smaller program took its place
      if (const auto p = without(best_, index, arg == 5 ? 99 : arg); p && keep(*p)) return true;
    }
    return false;
  }

  bool keep(const Program& candidate) {
    const Program p = kernels::without_dead_code(candidate);
    if (tries_ >= most_ || !kernels::why_malformed(p).empty() || p.instances().empty()) return false;
    ++tries_;
    if (!fails_(p)) return false;
    best_ = p;
    return true;
  }

  Program best_;
  const std::function<bool(const Program&)>& fails_;
  int most_, tries_ = 0;
};

}  // namespace

Reduced reduce(const Program& program, const std::function<bool(const Program&)>& fails, int most_tries) {
  return Reducer(program, fails, most_tries).run();
}

}  // namespace mfma::conformance
