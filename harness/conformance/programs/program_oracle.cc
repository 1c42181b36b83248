#include "harness/conformance/programs/program_oracle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "harness/cases/rng.h"
#include "harness/catalogue/layout.h"
#include "harness/conformance/execution/rules.h"
#include "harness/devices/device.h"
#include "oracles/formats/rounding.h"

namespace mfma::conformance {
namespace {

using catalogue::kLanes;
using catalogue::Operand;
using catalogue::RegisterImage;
using kernels::IntegerOp;
using kernels::Op;
using kernels::OpKind;
using kernels::Program;
using kernels::ValueId;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const RegisterImage& image_of(const cases::Case& c, Operand operand) {
  switch (operand) {
    case Operand::kA:
      return c.a;
    case Operand::kB:
      return c.b;
    case Operand::kScaleA:
      return c.scale_a;
    case Operand::kScaleB:
      return c.scale_b;
    case Operand::kC:
    case Operand::kD:
      break;
  }
  return c.c;
}

// Another seed for each draw, step and part; the first of each is the seed itself, so that a single call has the
// operands that `run` gives it.
std::uint64_t draw_seed(std::uint64_t seed, int draw, int step, int part) {
  if (draw == 0 && step == 0 && part == 0) return seed;
  std::uint64_t state = seed + (static_cast<std::uint64_t>(draw) << 40 | static_cast<std::uint64_t>(step) << 20 |
                                static_cast<std::uint64_t>(part));
  return cases::splitmix64(state);
}

std::uint32_t combined(IntegerOp op, std::uint32_t x, std::uint32_t y) {
  switch (op) {
    case IntegerOp::kXor:
      return x ^ y;
    case IntegerOp::kAnd:
      return x & y;
    case IntegerOp::kOr:
      return x | y;
    case IntegerOp::kAdd:
      return x + y;
    case IntegerOp::kSubtract:
      break;
  }
  return x - y;
}

}  // namespace

operands::OperandClass class_of_inputs(std::uint64_t index) {
  constexpr std::array kClasses{operands::OperandClass::kSmallIntegers, operands::OperandClass::kRandomBits,
                                operands::OperandClass::kSpecials};
  return kClasses[index % kClasses.size()];
}

ProgramInputs draw_inputs(const Program& program, std::uint64_t seed, std::uint64_t index, int trips) {
  ProgramInputs drawn;
  for (const kernels::Input& input : program.inputs) {
    std::vector<RegisterImage>& steps = drawn.images.emplace_back();
    for (int step = 0; step < (input.per_step ? trips : 1); ++step) {
      RegisterImage image(input.registers());
      image.dwords.clear();
      for (int part = 0; part < input.copies; ++part) {
        const std::uint64_t s = draw_seed(seed, input.draw, step, part);
        const cases::Case c = operands::make_case(input.instance, s, index, class_of_inputs(index));
        const RegisterImage& from = image_of(c, input.operand);
        image.dwords.insert(image.dwords.end(), from.dwords.begin(), from.dwords.end());
      }
      steps.push_back(std::move(image));
    }
  }
  return drawn;
}

ProgramOracle::ProgramOracle(const Program& program, const oracles::Profile& profile, oracles::BroadcastReading reading,
                             const OracleSource& source)
    : program_(program) {
  for (const catalogue::Instance& i : program.instances()) {
    const oracles::ProfileRule* rule = rule_of(profile, i);
    views_.emplace(catalogue::instance_id(i), OracleView(source.entry(i, rule->model, reading)));
    if (rule->status != oracles::RuleStatus::kConfirmed) confirmed_ = false;
    if (catalogue::rests_on_unsettled_broadcast(i) || catalogue::rests_on_unsettled_blgp(i)) unsettled_ = true;
  }
}

std::vector<std::size_t> ProgramOracle::sizes() const {
  std::vector<std::size_t> all;
  const auto add = [&](ValueId v) { all.push_back(at(program_.ops[at(v)].type.registers() * kLanes)); };
  for (const kernels::Output& o : program_.outputs) add(o.value);
  for (const ValueId v : program_.memories()) add(v);
  return all;
}

// One evaluation.
class ProgramOracle::Run {
 public:
  Run(const ProgramOracle& oracle, const ProgramInputs& inputs, int trips)
      : oracle_(oracle), p_(oracle.program_), inputs_(inputs), trips_(trips), values_(p_.ops.size()) {
    for (const ValueId v : p_.memories()) memories_.emplace(v, unwritten(p_.ops[at(v)].type.registers()));
  }

  std::vector<ProgramValue> run() {
    std::size_t i = 0;
    while (i < p_.ops.size()) i = step(i);
    std::vector<ProgramValue> results;
    for (const kernels::Output& o : p_.outputs) {
      const ProgramValue& v = values_[at(o.value)];
      ProgramValue stored = unwritten(v.image.registers);
      const auto end = static_cast<std::ptrdiff_t>(o.lanes * v.image.registers);
      std::copy(v.image.dwords.begin(), v.image.dwords.begin() + end, stored.image.dwords.begin());
      std::copy(v.exact.begin(), v.exact.begin() + end, stored.exact.begin());
      results.push_back(std::move(stored));
    }
    for (const ValueId v : p_.memories()) results.push_back(memories_.at(v));
    return results;
  }

 private:
  static ProgramValue unwritten(int registers) {
    ProgramValue v(registers);
    std::fill(v.image.dwords.begin(), v.image.dwords.end(), devices::kUnwrittenDword);
    return v;
  }

  const ProgramValue& arg(const Op& op, std::size_t n) const { return values_[at(op.args[n])]; }

  // Runs the operation; returns the index of the next.
  std::size_t step(std::size_t index) {
    const Op& op = p_.ops[index];
    switch (op.kind) {
      case OpKind::kLoop:
        loop_ = index;
        done_ = 0;
        return trips_ > 0 ? index + 1 : after_loop(index);
      case OpKind::kEndLoop: {
        std::vector<ProgramValue> next;
        for (std::size_t n = 0; n < op.args.size(); ++n) next.push_back(arg(op, n));
        for (std::size_t n = 0; n < next.size(); ++n) values_[loop_ - next.size() + n] = std::move(next[n]);
        return ++done_ < trips_ ? loop_ + 1 : index + 1;
      }
      case OpKind::kMemory:
        memories_.at(static_cast<ValueId>(index)) = arg(op, 0);
        values_[index] = swapped_lanes(arg(op, 0), op.number);
        return index + 1;
      default:
        values_[index] = value_of(op);
        return index + 1;
    }
  }

  std::size_t after_loop(std::size_t loop) const {
    while (p_.ops[loop].kind != OpKind::kEndLoop) ++loop;
    return loop + 1;
  }

  ProgramValue value_of(const Op& op) const {
    ProgramValue v(op.type.registers());
    const auto n = at(v.image.registers);
    switch (op.kind) {
      case OpKind::kLoad: {
        const auto& steps = inputs_.images[at(op.number)];
        v.image = steps[p_.inputs[at(op.number)].per_step ? at(done_) : 0];
        return v;
      }
      case OpKind::kLoadFirst: {
        const RegisterImage& from = inputs_.images[at(op.number)][0];
        for (std::size_t k = 0; k < v.image.dwords.size(); ++k) v.image.dwords[k] = from.dwords[k % n];
        return v;
      }
      case OpKind::kConstant:
        for (std::size_t k = 0; k < v.image.dwords.size(); ++k) v.image.dwords[k] = op.dwords[k % n];
        return v;
      case OpKind::kMultiply:
        return product(op);
      case OpKind::kPin:
      case OpKind::kCarry:
        return arg(op, 0);
      case OpKind::kCombine:
        for (std::size_t k = 0; k < v.image.dwords.size(); ++k) {
          v.image.dwords[k] = combined(op.integer, arg(op, 0).image.dwords[k], arg(op, 1).image.dwords[k]);
          v.exact[k] = arg(op, 0).exact[k] & arg(op, 1).exact[k];
        }
        return v;
      case OpKind::kNegate: {
        v = arg(op, 0);
        const std::size_t dwords = op.type.scalar == "f64" ? 2 : 1;  // of an element; the sign is in the last
        for (std::size_t k = dwords - 1; k < v.image.dwords.size(); k += dwords) v.image.dwords[k] ^= 0x80000000;
        return v;
      }
      case OpKind::kRound:
        return rounded(op);
      case OpKind::kWords:
        return gathered(op, [&](std::size_t lane, std::size_t k) {
          const auto have = at(arg(op, 0).image.registers);
          return std::pair(at(0), lane * have + (at(op.number) + k) % have);
        });
      case OpKind::kInsert:
        return gathered(op, [&](std::size_t lane, std::size_t k) {
          const auto part = at(arg(op, 1).image.registers), first = at(op.number);
          if (k < first || k >= first + part) return std::pair(at(0), lane * n + k);
          return std::pair(at(1), lane * part + k - first);
        });
      case OpKind::kExchange:
        return swapped_lanes(arg(op, 0), op.number);
      case OpKind::kBranch:
        return gathered(op, [&](std::size_t lane, std::size_t k) {
          return std::pair(lane < at(op.number) ? at(0) : at(1), lane * n + k);
        });
      case OpKind::kTiled:
        return tiled(op);
      case OpKind::kMemory:
      case OpKind::kLoop:
      case OpKind::kEndLoop:
        break;
    }
    return v;
  }

  // Each dword from a place in one of the arguments: from(lane, register) gives the argument and the index in it.
  template <class From>
  ProgramValue gathered(const Op& op, From&& from) const {
    ProgramValue v(op.type.registers());
    const auto n = at(v.image.registers);
    for (std::size_t k = 0; k < v.image.dwords.size(); ++k) {
      const auto [which, index] = from(k / n, k % n);
      v.image.dwords[k] = arg(op, which).image.dwords[index];
      v.exact[k] = arg(op, which).exact[index];
    }
    return v;
  }

  static ProgramValue swapped_lanes(const ProgramValue& from, int mask) {
    ProgramValue v(from.image.registers);
    const auto n = at(v.image.registers);
    for (std::size_t k = 0; k < v.image.dwords.size(); ++k) {
      const std::size_t index = (k / n ^ at(mask)) * n + k % n;
      v.image.dwords[k] = from.image.dwords[index];
      v.exact[k] = from.exact[index];
    }
    return v;
  }

  ProgramValue rounded(const Op& op) const {
    const ProgramValue& from = arg(op, 0);
    const oracles::Format& wide = oracles::format(oracles::FormatId::kF32);
    const oracles::Format& narrow =
        oracles::format(op.type.scalar == "f16" ? oracles::FormatId::kF16 : oracles::FormatId::kBf16);
    ProgramValue v(op.type.registers());
    const auto have = at(from.image.registers), n = at(v.image.registers);
    for (std::size_t lane = 0; lane < at(kLanes); ++lane) {
      for (std::size_t element = 0; element < 2 * n; ++element) {
        const std::size_t source = lane * have + element % have, target = lane * n + element / 2;
        const oracles::Decoded x = oracles::decode(wide, from.image.dwords[source] & 0xbfffffff);
        const std::uint64_t bits =
            oracles::encode(narrow, oracles::round_to(narrow, x.negative, x.significand, x.exponent));
        if (element % 2 == 0) v.image.dwords[target] = static_cast<std::uint32_t>(bits);
        if (element % 2 == 1) v.image.dwords[target] |= static_cast<std::uint32_t>(bits << 16);
        v.exact[target] &= from.exact[source];
      }
    }
    return v;
  }

  const OracleView& view(const catalogue::Instance& i) const { return oracle_.views_.at(catalogue::instance_id(i)); }

  ProgramValue product(const Op& op) const {
    cases::Case c;
    c.instance = op.instance;
    c.a = arg(op, 0).image;
    c.b = arg(op, 1).image;
    c.c = arg(op, 2).image;
    c.has_scales = op.args.size() == 5;
    if (c.has_scales) {
      c.scale_a = arg(op, 3).image;
      c.scale_b = arg(op, 4).image;
    }
    const OracleView& oracle = view(op.instance);
    const oracles::DenseResult result = oracle.expected(c);
    ProgramValue v(op.type.registers());
    catalogue::write_elements(oracle.d_layout(), result.d, v.image);
    // A and B reach every element of D, or may: where any dword of them hangs on a model, so does all of D.
    bool clean = true;
    for (std::size_t n = 0; n < op.args.size(); ++n) {
      if (n != 2)
        clean = clean && std::all_of(arg(op, n).exact.begin(), arg(op, n).exact.end(), [](auto e) { return e != 0; });
    }
    const catalogue::Layout& c_layout = catalogue::shared_layout(op.instance, Operand::kC);
    for (std::size_t e = 0; e < result.d.size(); ++e) {
      const catalogue::Location &from = c_layout.locations()[e], &to = oracle.d_layout().locations()[e];
      const std::uint8_t c_exact = arg(op, 2).exact[dword_of(from, c.c.registers)];
      const std::uint8_t exact = clean && result.exact[e] != 0 ? c_exact : std::uint8_t{0};
      for (int bit = to.bit; bit < to.bit + to.width; bit += 32) {
        v.exact[at(to.lane * v.image.registers + bit / 32)] = exact;
      }
    }
    return v;
  }

  static std::size_t dword_of(const catalogue::Location& l, int registers) {
    return at(l.lane * registers + l.bit / 32);
  }

  // Tile by tile through the builtin's own oracle, in ascending k, as the kernel adds them.
  ProgramValue tiled(const Op& op) const {
    using kernels::TiledProduct;
    constexpr int kSize = TiledProduct::kSize, kTile = TiledProduct::kTile, kStep = TiledProduct::kStep;
    const int k_size = p_.tiled.k;
    const OracleView& oracle = view(op.instance);
    const auto half = [](const RegisterImage& image, int index) {
      return static_cast<std::uint64_t>(image.dwords[at(index / 2)] >> (index % 2 * 16) & 0xffff);
    };
    ProgramValue v(op.type.registers());
    for (int row = 0; row < kSize; row += kTile) {
      for (int column = 0; column < kSize; column += kTile) {
        std::vector<std::uint64_t> sum(at(kTile * kTile), 0);
        std::vector<std::uint8_t> exact(sum.size(), 1);
        for (int k = 0; k < k_size; k += kStep) {
          std::vector<std::uint64_t> a, b;
          for (int i = 0; i < kTile; ++i) {
            for (int j = 0; j < kStep; ++j) a.push_back(half(inputs_.images[0][0], (row + i) * k_size + k + j));
          }
          for (int j = 0; j < kStep; ++j) {
            for (int i = 0; i < kTile; ++i) b.push_back(half(inputs_.images[1][0], (k + j) * kSize + column + i));
          }
          cases::Case c;
          c.instance = op.instance;
          c.a = RegisterImage(op.instance.builtin->a_registers);
          c.b = RegisterImage(op.instance.builtin->b_registers);
          c.c = RegisterImage(op.instance.builtin->c_registers);
          catalogue::write_elements(catalogue::shared_layout(op.instance, Operand::kA), a, c.a);
          catalogue::write_elements(catalogue::shared_layout(op.instance, Operand::kB), b, c.b);
          catalogue::write_elements(catalogue::shared_layout(op.instance, Operand::kC), sum, c.c);
          oracles::DenseResult result = oracle.expected(c);
          sum = std::move(result.d);
          for (std::size_t e = 0; e < sum.size(); ++e) exact[e] &= result.exact[e];
        }
        for (int i = 0; i < kTile; ++i) {
          for (int j = 0; j < kTile; ++j) {
            const std::size_t to = at((row + i) * kSize + column + j), from = at(i * kTile + j);
            v.image.dwords[to] = static_cast<std::uint32_t>(sum[from]);
            v.exact[to] = exact[from];
          }
        }
      }
    }
    return v;
  }

  const ProgramOracle& oracle_;
  const Program& p_;
  const ProgramInputs& inputs_;
  const int trips_;
  std::vector<ProgramValue> values_;
  std::map<ValueId, ProgramValue> memories_;
  std::size_t loop_ = 0;
  int done_ = 0;
};

std::vector<ProgramValue> ProgramOracle::evaluate(const ProgramInputs& inputs, int trips) const {
  return Run(*this, inputs, trips).run();
}

}  // namespace mfma::conformance
