#include "harness/catalogue/layout.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>

namespace mfma::catalogue {
namespace {

constexpr int kRegisterBits = 32;
constexpr int kScaleBlock = 32;  // k per scale: CDNA4 ISA 7.2
constexpr int kChunk = 16;       // k per chunk of an 8-bit operand of f8f6f4: CDNA4 ISA 7.1.5.1
constexpr int kScaleWidth = 8;

bool is_scale(Operand operand) { return operand == Operand::kScaleA || operand == Operand::kScaleB; }

// Where element (block, x, k) of an input is: x is the row of A or the column of B, `across` the number of those.
struct InputMap {
  int across, k_per_lane, blocks, width;
  bool chunked;

  Location operator()(int block, int x, int k) const {
    if (chunked) {
      const int lane_groups = kLanes / across;
      const int item = kChunk * (k / (kChunk * lane_groups)) + k % kChunk;
      return {x + across * (k / kChunk % lane_groups), item * width, width};
    }
    return {x + across * (block + blocks * (k / k_per_lane)), k % k_per_lane * width, width};
  }
};

// Chunks only where the manual's tables show them: the lane groups of an 8-bit operand of an f8f6f4 builtin.
InputMap input_map(const Instance& instance, int across, ElementFormat format) {
  const Shape& shape = instance.builtin->shape;
  const bool chunked = instance.builtin->modifiers == ModifierKind::kScaled && bits_of(format) == kScaleWidth;
  return {across, shape.k * across * shape.blocks / kLanes, shape.blocks, bits_of(format), chunked};
}

// Where element (block, i, j) of C and D is. Rows go in groups of `height` (4, and 1 for f64) to consecutive items of
// a lane; N lanes hold such a group, `row_groups` of them and `block_groups` blocks share an item across the lanes.
// The block varies faster than the row group: that is AMD's matrix calculator's order, and the manual's formula
// gives the same wherever one of the two is 1, that is everywhere but in f64 4x4x4 (docs/discrepancies.md).
struct OutputMap {
  int n, height, block_groups, row_groups, items_per_block, width;

  Location operator()(int block, int i, int j) const {
    const int group = i / height;
    const int item = i % height + height * (group / row_groups) + items_per_block * (block / block_groups);
    const int lane = j + n * (block % block_groups + block_groups * (group % row_groups));
    return {lane, item * width, width};
  }
};

OutputMap output_map(const Instance& instance) {
  const Shape& shape = instance.builtin->shape;
  const int height = instance.builtin->acc_format == ElementFormat::kF64 ? 1 : 4;
  const int groups_per_block = shape.m * shape.n / height;                      // lanes that one item of a block fills
  const int block_groups = (kLanes + groups_per_block - 1) / groups_per_block;  // B_I of the manual
  const int row_groups = kLanes / block_groups / shape.n;                       // M_I of the manual
  return {shape.n, height, block_groups, row_groups, shape.m / row_groups, bits_of(instance.builtin->acc_format)};
}

// One scale byte per 32 k: row i (column j) and k-block q are in lane i + M * q, in the byte that op_sel names.
Location scale_location(int across, int x, int q, int op_sel) {
  return {x + across * q, op_sel * kScaleWidth, kScaleWidth};
}

void require_scales(const Instance& instance) {
  if (instance.builtin->modifiers == ModifierKind::kScaled) return;
  throw std::invalid_argument(std::string(instance.builtin->name) + " has no scales to lay out");
}

}  // namespace

Layout::Layout(const Instance& instance, Operand operand) {
  const Shape& shape = instance.builtin->shape;
  const auto fill = [this](const auto& location_of) {
    locations_.reserve(static_cast<std::size_t>(blocks_ * rows_ * columns_));
    for (int block = 0; block < blocks_; ++block) {
      for (int row = 0; row < rows_; ++row) {
        for (int column = 0; column < columns_; ++column) locations_.push_back(location_of(block, row, column));
      }
    }
  };
  blocks_ = shape.blocks;
  switch (operand) {
    case Operand::kA: {
      const InputMap map = input_map(instance, shape.m, instance.a_format());
      set_size(shape.m, shape.k, instance.a_registers(), map.width);
      fill([&map](int block, int row, int column) { return map(block, row, column); });
      break;
    }
    case Operand::kB: {
      const InputMap map = input_map(instance, shape.n, instance.b_format());
      set_size(shape.k, shape.n, instance.b_registers(), map.width);
      fill([&map](int block, int row, int column) { return map(block, column, row); });
      break;
    }
    case Operand::kC:
    case Operand::kD: {
      const OutputMap map = output_map(instance);
      set_size(shape.m, shape.n, instance.c_registers(), map.width);
      fill(map);
      break;
    }
    case Operand::kScaleA:
      require_scales(instance);
      set_size(shape.m, shape.k / kScaleBlock, 1, kScaleWidth);
      fill([&](int, int row, int q) { return scale_location(shape.m, row, q, instance.modifiers.op_sel_a); });
      break;
    case Operand::kScaleB:
      require_scales(instance);
      set_size(shape.k / kScaleBlock, shape.n, 1, kScaleWidth);
      fill([&](int, int q, int column) { return scale_location(shape.n, column, q, instance.modifiers.op_sel_b); });
      break;
  }
  index_locations();
}

void Layout::set_size(int rows, int columns, int registers, int element_bits) {
  rows_ = rows;
  columns_ = columns;
  registers_ = registers;
  element_bits_ = element_bits;
}

void Layout::index_locations() {
  const int slots = registers_ * kRegisterBits / element_bits_;
  elements_.assign(static_cast<std::size_t>(kLanes * slots), -1);
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const int slot = locations_[i].lane * slots + locations_[i].bit / element_bits_;
    elements_[static_cast<std::size_t>(slot)] = static_cast<int>(i);
  }
}

Element Layout::element_of(std::size_t index) const {
  const int i = static_cast<int>(index);
  return {i / (rows_ * columns_), i / columns_ % rows_, i % columns_};
}

Location Layout::locate(Element e) const {
  return locations_.at(static_cast<std::size_t>((e.block * rows_ + e.row) * columns_ + e.column));
}

std::optional<Element> Layout::element_at(int lane, int bit) const {
  if (lane < 0 || lane >= kLanes || bit < 0 || bit >= registers_ * kRegisterBits) return std::nullopt;
  if (corrupted_) {
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      const Location& at = locations_[i];
      if (at.lane == lane && bit >= at.bit && bit < at.bit + at.width) return element_of(i);
    }
    return std::nullopt;
  }
  const int slots = registers_ * kRegisterBits / element_bits_;
  const int index = elements_[static_cast<std::size_t>(lane * slots + bit / element_bits_)];
  if (index < 0) return std::nullopt;
  return element_of(static_cast<std::size_t>(index));
}

void Layout::corrupt(std::size_t index, Location wrong) {
  const bool inside = wrong.lane >= 0 && wrong.lane < kLanes && wrong.bit >= 0 && wrong.width > 0 &&
                      wrong.bit % kRegisterBits + wrong.width <= 2 * kRegisterBits &&
                      wrong.bit + wrong.width <= registers_ * kRegisterBits;
  if (!inside) throw std::out_of_range("Layout::corrupt: not within two neighbouring dwords of the operand");
  locations_.at(index) = wrong;
  corrupted_ = true;
}

namespace {

constexpr std::size_t kVariants = 5;  // formats of an operand of f8f6f4, or bytes of a scale dword
constexpr std::size_t kOperands = 6;

// What, beside the builtin, a layout depends on.
std::size_t variant_of(const Instance& instance, Operand operand) {
  if (instance.builtin->modifiers != ModifierKind::kScaled) return 0;
  const Modifiers& m = instance.modifiers;
  const std::array<int, kOperands> variants{m.cbsz, m.blgp, 0, 0, m.op_sel_a, m.op_sel_b};
  return static_cast<std::size_t>(variants.at(static_cast<std::size_t>(operand)));
}

struct Slot {
  std::once_flag once;
  std::unique_ptr<const Layout> layout;
};

}  // namespace

const Layout& shared_layout(const Instance& instance, Operand operand) {
  static std::vector<Slot> slots(builtins().size() * kOperands * kVariants);
  if (is_scale(operand)) require_scales(instance);
  const std::span<const Builtin> table = builtins();
  if (std::less<>{}(instance.builtin, table.data()) || !std::less<>{}(instance.builtin, table.data() + table.size())) {
    throw std::invalid_argument("shared_layout: the builtin is not a row of the catalogue");
  }
  const std::size_t index =
      (static_cast<std::size_t>(instance.builtin - table.data()) * kOperands + static_cast<std::size_t>(operand)) *
      kVariants;
  Slot& slot = slots.at(index + variant_of(instance, operand));
  std::call_once(slot.once, [&] { slot.layout = std::make_unique<const Layout>(instance, operand); });
  return *slot.layout;
}

}  // namespace mfma::catalogue
