#include "oracles/plain/modifiers.h"

#include <array>

namespace mfma::oracles {
namespace {

constexpr int kLanes = 64;

// The lane and item of an element, for an operand with `width` rows (A) or columns (B) per block.
struct Slot {
  int lane, item;
};

int items_per_lane(const DenseShape& s, int width) { return s.k / (kLanes / (width * s.blocks)); }

Slot slot_of(const DenseShape& s, int width, ElementPlace at) {
  const int items = items_per_lane(s, width);
  return {at.row_or_column + width * (at.block + s.blocks * (at.k / items)), at.k % items};
}

ElementPlace place_of(const DenseShape& s, int width, Slot slot) {
  const int items = items_per_lane(s, width);
  const int rest = slot.lane / width;
  return {rest % s.blocks, slot.lane % width, rest / s.blocks * items + slot.item};
}

// B's lane permutations (manual 7.1.6): lane l reads lane (l + rotate) % period + offset.
struct LanePermutation {
  int rotate, period, offset;
};
constexpr std::array<LanePermutation, 8> kBlgp = {
    {{0, 64, 0}, {0, 32, 0}, {0, 32, 32}, {16, 64, 0}, {0, 16, 0}, {0, 16, 16}, {0, 16, 32}, {0, 16, 48}}};

}  // namespace

ElementPlace source_of_a(const DenseShape& shape, const DenseModifiers& modifiers, ElementPlace at) {
  if (modifiers.cbsz == 0) return at;
  const int set = 1 << modifiers.cbsz;
  if (modifiers.reading == BroadcastReading::kPerSet) {
    return {at.block / set * set + modifiers.abid, at.row_or_column, at.k};
  }
  Slot slot = slot_of(shape, shape.m, at);
  const int period = kLanes / set;
  slot.lane = slot.lane % period + period * modifiers.abid;
  return place_of(shape, shape.m, slot);
}

ElementPlace source_of_b(const DenseShape& shape, const DenseModifiers& modifiers, ElementPlace at) {
  if (modifiers.blgp == 0) return at;
  const LanePermutation& p = kBlgp[static_cast<std::size_t>(modifiers.blgp)];
  Slot slot = slot_of(shape, shape.n, at);
  slot.lane = (slot.lane + p.rotate) % p.period + p.offset;
  return place_of(shape, shape.n, slot);
}

std::optional<std::string> modifier_error(const DenseShape& shape, const DenseModifiers& m) {
  if (m.cbsz < 0 || m.cbsz > 4 || (1 << m.cbsz) > shape.blocks) {
    return "cbsz " + std::to_string(m.cbsz) + " broadcasts over more than the " + std::to_string(shape.blocks) +
           " block(s) of the shape";
  }
  if (m.abid < 0 || m.abid >= (1 << m.cbsz)) return "abid " + std::to_string(m.abid) + " is not below 2^cbsz";
  if (m.blgp < 0 || m.blgp > 7) return "blgp " + std::to_string(m.blgp) + " is out of range 0..7";
  const auto fills_lanes = [&](int width) {
    const int lanes = width * shape.blocks;
    return lanes > 0 && kLanes % lanes == 0 && shape.k % (kLanes / lanes) == 0;
  };
  if ((m.cbsz != 0 && !fills_lanes(shape.m)) || (m.blgp != 0 && !fills_lanes(shape.n))) {
    return "cbsz and blgp need a shape that fills 64 lanes";
  }
  return std::nullopt;
}

}  // namespace mfma::oracles
