#include "harness/kernels/random_program.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/cases/case.h"
#include "harness/cases/rng.h"
#include "harness/kernels/shapes.h"

namespace mfma::kernels {
namespace {

using catalogue::Instance;
using catalogue::Operand;

class Generator {
 public:
  Generator(std::span<const Instance> instances, std::uint64_t seed, std::uint64_t index)
      : rng_(cases::case_seed(seed, "random", index)), p_("random", fmt::format("random/seed{}/index{}", seed, index)) {
    p_.program().note = fmt::format("mfma-conform random program, seed {}, index {}", seed, index);
    const Instance& first = instances[rng_.below(static_cast<std::uint32_t>(instances.size()))];
    for (const Instance& i : instances) {
      if (i.builtin->c_type == first.builtin->c_type) callable_.push_back(i);
    }
    current_ = call(first, p_.operand(first, Operand::kC, draw_), false);
  }

  Program run() {
    const int steps = rng_.between(2, 7);
    for (int n = 0; n < steps; ++n) step();
    keep(current_);
    for (const ValueId v : kept_) {
      if (rng_.below(4) == 0) {
        p_.output(v, rng_.between(1, catalogue::kLanes - 1));
      } else {
        p_.output(v);
      }
    }
    // At least one whole output, so that a program never compares next to nothing.
    p_.program().outputs.back().lanes = catalogue::kLanes;
    return p_.program();
  }

 private:
  std::uint32_t random32() { return static_cast<std::uint32_t>(rng_.next() >> 32); }
  const Instance& some_call() { return callable_[rng_.below(static_cast<std::uint32_t>(callable_.size()))]; }
  int some_mask() { return static_cast<int>(rng_.below(catalogue::kLanes)); }
  bool is_float() const { return p_.type_of(current_).scalar == "f32" || p_.type_of(current_).scalar == "f64"; }
  void keep(ValueId v) { kept_.push_back(v); }
  ValueId kept_or_fresh() {
    if (!kept_.empty() && rng_.coin()) return kept_[rng_.below(static_cast<std::uint32_t>(kept_.size()))];
    return p_.operand(some_call(), Operand::kC, ++draw_);
  }

  CallForm form(const Instance& i) {
    const std::uint32_t roll = rng_.below(10);
    if (roll == 0) return CallForm::kNoinline;
    if (roll > 3 || !detail::fits_assembly(i)) return CallForm::kBuiltin;
    constexpr CallForm kForms[] = {CallForm::kAsm, CallForm::kAsmInPlace, CallForm::kAsmAgpr};
    return kForms[roll - 1];
  }

  // With operands from memory, or, outside a loop, sometimes from the value so far.
  ValueId call(const Instance& i, ValueId c, bool in_loop) {
    const int draw = ++draw_;
    const auto operand = [&](Operand which) {
      if (!in_loop && c == current_ && calls_ > 0 && rng_.below(5) == 0)
        return detail::as_operand(p_, current_, i, which);
      return p_.operand(i, which, draw, in_loop);
    };
    const ValueId a = operand(Operand::kA);
    const ValueId b = operand(Operand::kB);
    ++calls_;
    return p_.multiply(i, {a, b, c}, in_loop ? CallForm::kBuiltin : form(i), draw, in_loop);
  }

  void loop() {
    p_.program().trip_counts = {static_cast<int>(rng_.below(2)), 2};
    const bool two = rng_.coin();
    const ValueId before = two ? kept_or_fresh() : 0;
    const ValueId first = p_.carry(current_);
    const ValueId second = two ? p_.carry(before) : 0;
    p_.loop();
    ValueId next = call(some_call(), first, true);
    if (rng_.coin()) next = p_.combine(IntegerOp::kXor, next, p_.splat(p_.type_of(next), random32()));
    if (two) {
      p_.end_loop({next, call(some_call(), second, true)});
      keep(second);
    } else {
      p_.end_loop({next});
    }
    current_ = first;
    looped_ = true;
  }

  void step() {
    const ValueType type = p_.type_of(current_);
    switch (rng_.below(11)) {
      case 0:
      case 1:
      case 2:
        current_ = call(some_call(), current_, false);
        return;
      case 3: {
        constexpr IntegerOp kOps[] = {IntegerOp::kXor, IntegerOp::kAnd, IntegerOp::kOr, IntegerOp::kAdd,
                                      IntegerOp::kSubtract};
        const IntegerOp op = kOps[rng_.below(std::size(kOps))];
        current_ = p_.combine(op, current_, rng_.coin() ? p_.splat(type, rng_.next()) : kept_or_fresh());
        return;
      }
      case 4:
        current_ = is_float() ? p_.negate(current_) : p_.combine(IntegerOp::kAdd, current_, current_);
        return;
      case 5:
        current_ = p_.exchange(current_, some_mask());
        return;
      case 6:
        current_ = p_.memory(current_, some_mask());
        return;
      case 7:
        current_ = p_.branch(current_, kept_or_fresh(), some_mask());
        return;
      case 8: {
        const int half = type.registers() / 2;
        current_ = p_.insert(current_, rng_.coin() ? half : 0,
                             p_.words_of(kept_or_fresh(), rng_.coin() ? half : 0, words(half)));
        return;
      }
      case 9:
        if (!looped_) return loop();
        current_ = p_.pin(current_, rng_.coin() ? RegisterForm::kAgpr : RegisterForm::kVgpr);
        return;
      default: {
        keep(current_);
        const Instance& next = some_call();
        current_ = call(next, p_.operand(next, Operand::kC, ++draw_), false);
      }
    }
  }

  cases::Rng rng_;
  ProgramBuilder p_;
  std::vector<Instance> callable_;
  std::vector<ValueId> kept_;
  ValueId current_ = -1;
  int draw_ = 0, calls_ = 0;
  bool looped_ = false;
};

}  // namespace

Program random_program(std::span<const Instance> instances, std::uint64_t seed, std::uint64_t index) {
  return Generator(instances, seed, index).run();
}

}  // namespace mfma::kernels
