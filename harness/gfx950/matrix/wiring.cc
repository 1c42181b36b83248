#include "harness/gfx950/matrix/wiring.h"

#include <map>
#include <tuple>
#include <vector>

namespace mfma::gfx950 {
namespace {

constexpr int kWideChunk = 16;  // consecutive k that an 8-bit operand of f8f6f4 keeps together

struct WiringTables {
  std::vector<std::uint16_t> a[2], b[2];  // [wide_small_item]
  std::vector<std::uint16_t> d;
};

int a_number(const MatrixShape& s, const ElementPlace& p) { return (p.block * s.m + p.row) * s.k + p.k; }
int b_number(const MatrixShape& s, const ElementPlace& p) { return (p.block * s.k + p.k) * s.n + p.row; }

WiringTables make_tables(const MatrixOperation& operation) {
  const MatrixShape& shape = operation.shape;
  WiringTables tables;
  for (const bool wide : {false, true}) {
    if (wide && !operation.small_formats) continue;
    for (int item = 0; item < operation.a_items(); ++item) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const ElementPlace place = input_place(shape, wide, lane, item);
        tables.a[wide].push_back(static_cast<std::uint16_t>(a_number(shape, place)));
        tables.b[wide].push_back(static_cast<std::uint16_t>(b_number(shape, place)));
      }
    }
  }
  const int items = shape.m * shape.n * shape.blocks / kLanes;
  for (int item = 0; item < items; ++item) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const ResultPlace place = result_place(shape, operation.is_f64(), lane, item);
      tables.d.push_back(static_cast<std::uint16_t>((place.block * shape.m + place.i) * shape.n + place.j));
    }
  }
  return tables;
}

// Layouts depend on the shape, on f64 or not, and on nothing else.
using WiringKey = std::tuple<int, int, int, bool>;

WiringKey key_of(const MatrixOperation& operation) {
  return {operation.shape.m, operation.shape.k, operation.shape.blocks, operation.is_f64()};
}

std::map<WiringKey, WiringTables> make_all_tables() {
  std::map<WiringKey, WiringTables> all;
  for (int opcode = 0; opcode < 128; ++opcode) {
    const MatrixOperation operation = matrix_operation({opcode, 0, 0, 0});
    if (operation.known() && !all.contains(key_of(operation))) all.emplace(key_of(operation), make_tables(operation));
  }
  return all;
}

const WiringTables& tables_of(const MatrixOperation& operation) {
  static const std::map<WiringKey, WiringTables> all = make_all_tables();
  return all.at(key_of(operation));
}

}  // namespace

ElementPlace input_place(const MatrixShape& shape, bool wide_small_item, int lane, int item) {
  // The lanes count rows first, then blocks, then portions of k.
  const int row = lane % shape.m;
  const int block = lane / shape.m % shape.blocks;
  const int portion = lane / (shape.m * shape.blocks);
  const int portions = kLanes / (shape.m * shape.blocks);
  if (wide_small_item) {
    // Registers 0-3 of all lanes together hold the first half of k in chunks of 16, registers 4-7 the second.
    const int chunk = item / kWideChunk * portions + portion;
    return {block, row, chunk * kWideChunk + item % kWideChunk};
  }
  return {block, row, portion * (shape.k / portions) + item};
}

ResultPlace result_place(const MatrixShape& shape, bool f64, int lane, int item) {
  // 4x4x4_4B f64 keeps row i of all blocks together, where the manual's formula keeps the rows of a block together.
  if (f64 && shape.m == 4) return {lane / 4 % 4, lane / 16, lane % 4};
  // Tiles of `height` rows by N columns fill the lanes side by side, down the rows and then through the blocks.
  const int height = f64 ? 1 : 4;
  const int tiles_side_by_side = kLanes / shape.n;
  const int tile = item / height * tiles_side_by_side + lane / shape.n;
  const int tiles_per_block = shape.m / height;
  return {tile / tiles_per_block, tile % tiles_per_block * height + item % height, lane % shape.n};
}

std::span<const std::uint16_t> a_elements(const MatrixOperation& operation, bool wide_small_item) {
  return tables_of(operation).a[wide_small_item];
}
std::span<const std::uint16_t> b_elements(const MatrixOperation& operation, bool wide_small_item) {
  return tables_of(operation).b[wide_small_item];
}
std::span<const std::uint16_t> d_elements(const MatrixOperation& operation) { return tables_of(operation).d; }

LaneMap straight_lanes() {
  LaneMap map{};
  for (int lane = 0; lane < kLanes; ++lane) map[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(lane);
  return map;
}

LaneMap broadcast_lanes(const MatrixShape& shape, int cbsz, int abid, bool whole_wave) {
  LaneMap map = straight_lanes();
  if (cbsz == 0) return map;
  for (int lane = 0; lane < kLanes; ++lane) {
    int source = 0;
    if (whole_wave) {
      const int size = kLanes >> cbsz;
      source = lane % size + size * abid;
    } else {
      const int set = shape.m << cbsz;  // lanes of 2^cbsz blocks; the k of a block is never spread when blocks > 1
      source = lane / set * set + abid * shape.m + lane % shape.m;
    }
    map[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(source);
  }
  return map;
}

LaneMap pattern_lanes(int blgp, bool rotate_right) {
  struct Pattern {
    int modulus, offset;
  };
  constexpr std::array<Pattern, 8> kPatterns{
      {{64, 0}, {32, 0}, {32, 32}, {64, 16}, {16, 0}, {16, 16}, {16, 32}, {16, 48}}};
  Pattern pattern = kPatterns[static_cast<std::size_t>(blgp & 7)];
  if (rotate_right && pattern.modulus == kLanes) pattern.offset = (kLanes - pattern.offset) % kLanes;
  LaneMap map{};
  for (int lane = 0; lane < kLanes; ++lane) {
    map[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>((lane % pattern.modulus + pattern.offset) % kLanes);
  }
  return map;
}

int data_lane_of_wide_item(const MatrixShape& shape, int row, int k) {
  return row + shape.m * (k / kWideChunk % (kLanes / shape.m));
}

}  // namespace mfma::gfx950
