#include <bit>

#include "harness/properties/operands.h"
#include "harness/properties/property.h"

namespace mfma::properties {
namespace {

using catalogue::ElementFormat;

constexpr std::size_t kMismatchesKept = 4;

// Bits of D as the relations need them: f32, f64 or i32.
class ResultBits {
 public:
  explicit ResultBits(ElementFormat format)
      : integer_(format == ElementFormat::kI32),
        bits_(catalogue::bits_of(format)),
        fraction_bits_(bits_ == 64 ? 52 : 23) {}

  std::uint64_t sign() const { return std::uint64_t{1} << (bits_ - 1); }
  std::uint64_t infinity() const { return bits_ == 64 ? std::uint64_t{0x7ff} << 52 : 0x7f800000; }
  bool is_nan(std::uint64_t x) const { return !integer_ && (x & (sign() - 1)) > infinity(); }
  bool is_zero(std::uint64_t x) const { return (x & (sign() - 1)) == 0; }

  std::uint64_t negated(std::uint64_t x) const { return integer_ ? (0 - x) & 0xffffffff : x ^ sign(); }

  // x * 2^by of a normal number whose product is one too; else the bits of no number, so that nothing equals them.
  std::uint64_t shifted(std::uint64_t x, std::int64_t by) const {
    const auto field = static_cast<std::int64_t>((x & infinity()) >> fraction_bits_);
    const auto most = static_cast<std::int64_t>(infinity() >> fraction_bits_);
    if (field == most) return x;
    if (field == 0 || field + by <= 0 || field + by >= most) return infinity() + 1;
    return (x & ~infinity()) | static_cast<std::uint64_t>(field + by) << fraction_bits_;
  }

  // Numbers in order as unsigned keys.
  std::uint64_t key(std::uint64_t x) const {
    if (integer_) return x ^ sign();
    const std::uint64_t magnitude = x & (sign() - 1);
    return (x & sign()) != 0 ? sign() - magnitude : sign() + magnitude;
  }

 private:
  bool integer_;
  int bits_;
  int fraction_bits_;
};

bool same(const ResultBits& format, std::uint64_t x, std::uint64_t y) {
  return x == y || (format.is_nan(x) && format.is_nan(y));
}

bool same_value(const ResultBits& format, bool integer, std::uint64_t x, std::uint64_t y) {
  return same(format, x, y) || (!integer && format.is_zero(x) && format.is_zero(y));
}

struct Verdict {
  bool holds;
  std::uint64_t expected;
};

Verdict check(ElementFormat acc, const Comparison& c, std::uint64_t subject, std::uint64_t reference) {
  const ResultBits format(acc);
  const bool integer = acc == ElementFormat::kI32;
  switch (c.relation) {
    case Relation::kSameBits:
      return {subject == reference, reference};
    case Relation::kSame:
      return {same(format, subject, reference), reference};
    case Relation::kSameValue:
      return {same_value(format, integer, subject, reference), reference};
    case Relation::kNegated: {
      const std::uint64_t wanted = format.negated(reference);
      return {same_value(format, integer, subject, wanted), wanted};
    }
    case Relation::kShifted: {
      if (format.is_zero(reference)) return {format.is_zero(subject), reference};
      const std::uint64_t wanted = format.shifted(reference, static_cast<std::int64_t>(c.operand));
      return {same(format, subject, wanted), wanted};
    }
    case Relation::kPlus: {
      const std::uint64_t wanted = (reference + c.operand) & 0xffffffff;
      return {subject == wanted, wanted};
    }
    case Relation::kClamped: {
      const bool infinite = (reference & (format.sign() - 1)) == format.infinity();
      const std::uint64_t wanted = infinite ? reference - 1 : reference;
      return {same(format, subject, wanted), wanted};
    }
    case Relation::kAtLeast:
      return {!format.is_nan(subject) && !format.is_nan(reference) && format.key(subject) >= format.key(reference),
              reference};
    case Relation::kConstant:
      break;
  }
  return {subject == c.operand, c.operand};
}

}  // namespace

std::string_view name_of(Relation relation) {
  switch (relation) {
    case Relation::kSameBits:
      return "the same bits as";
    case Relation::kSame:
      return "the same as";
    case Relation::kSameValue:
      return "the same value as";
    case Relation::kNegated:
      return "the negative of";
    case Relation::kShifted:
      return "a power of two times";
    case Relation::kPlus:
      return "a constant more than";
    case Relation::kClamped:
      return "the same, infinities clamped, as";
    case Relation::kAtLeast:
      return "at least";
    case Relation::kConstant:
      break;
  }
  return "the constant for";
}

Judgement judge(const Trial& trial, std::span<const std::vector<std::uint64_t>> results) {
  Judgement judgement;
  judgement.readings = trial.readings.size();
  judgement.broken = true;
  std::optional<std::size_t> fewest;
  for (std::size_t r = 0; r < trial.readings.size(); ++r) {
    std::size_t failing = 0;
    std::vector<Mismatch> kept;
    for (const Comparison& c : trial.readings[r].comparisons) {
      ++judgement.compared;
      const auto acc = trial.steps[c.subject.step].operands.instance.builtin->acc_format;
      const std::uint64_t subject = results[c.subject.step].at(c.subject.element);
      const std::uint64_t reference =
          c.relation == Relation::kConstant ? 0 : results[c.reference.step].at(c.reference.element);
      const Verdict verdict = check(acc, c, subject, reference);
      if (verdict.holds) continue;
      if (++failing <= kMismatchesKept) kept.push_back({c, verdict.expected, subject});
    }
    if (failing == 0) {
      judgement.broken = false;
      judgement.holds.push_back(r);
    } else if (!fewest || failing < *fewest) {
      fewest = failing;
      judgement.reading = r;
      judgement.failing = failing;
      judgement.mismatches = std::move(kept);
    }
  }
  if (!judgement.broken) {
    judgement.failing = 0;
    judgement.mismatches.clear();
  }
  return judgement;
}

}  // namespace mfma::properties
