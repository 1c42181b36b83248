// Where every matrix element lives: element to (lane, bits) and back, for A, B, C, D and the scales.
//
// Sources: CDNA4 ISA manual 7.1.4 (general), 7.1.5.1 (8-bit operands of f8f6f4), 7.2.1 (scales); docs/discrepancies.md
// for f64 4x4x4. Layouts say where an element is stored, before cbsz, abid and blgp, which are the reader's business.
// The formats that cbsz and blgp name on the scaled builtins, and op_sel, are part of the instance's layout: a scale
// is in the byte that op_sel selects; the other three bytes of the dword hold no element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/catalogue/instance.h"

namespace mfma::catalogue {

inline constexpr int kLanes = 64;

enum class Operand { kA, kB, kC, kD, kScaleA, kScaleB };

// A: (block, i, k). B: (block, k, j) with row = k, column = j. C, D: (block, i, j).
// Scale A: (0, i, q), scale B: (0, q, j), q = k / 32.
struct Element {
  int block, row, column;
  bool operator==(const Element&) const = default;
};

// `width` bits from `bit` of a lane's registers, taken as one little-endian number: register = bit / 32. An element
// may cross a register (6-bit formats, f64).
struct Location {
  int lane, bit, width;
  bool operator==(const Location&) const = default;
};

// The whole layout of one operand of one instance, both ways. Sizes are those of the operand's matrices: A is
// M x K, B is K x N, C and D are M x N, each `blocks` times; scale A is M x K/32, scale B is K/32 x N.
class Layout {
 public:
  // std::invalid_argument for the scales of a builtin that has none.
  Layout(const Instance& instance, Operand operand);

  int blocks() const { return blocks_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int registers() const { return registers_; }  // dwords per lane that the instruction reads (1 for scales)
  int element_bits() const { return element_bits_; }

  Location locate(Element e) const;                            // e must be in range
  std::optional<Element> element_at(int lane, int bit) const;  // nullopt: no element holds that bit
  // locate() for all elements, in [block][row][column] order.
  const std::vector<Location>& locations() const { return locations_; }
  // Replaces one entry: for tests that show a wrong layout is found. `wrong` must lie inside the operand's registers
  // and in at most two neighbouring dwords (else std::out_of_range). Where two elements then share a bit, element_at()
  // names the first.
  void corrupt(std::size_t index, Location wrong);

 private:
  void set_size(int rows, int columns, int registers, int element_bits);
  void index_locations();
  Element element_of(std::size_t index) const;

  int blocks_ = 0, rows_ = 0, columns_ = 0, registers_ = 0, element_bits_ = 0;
  std::vector<Location> locations_;
  // The inverse, by [lane][bit / element_bits]: index into locations_, or -1. Elements start at multiples of their
  // width in every layout; a corrupted one is searched instead.
  std::vector<int> elements_;
  bool corrupted_ = false;
};

// One copy of each layout, made on first use and kept: thread-safe, for the life of the program. Instances that
// differ in cbsz, abid and blgp share it. The builtin must be a row of the catalogue.
const Layout& shared_layout(const Instance& instance, Operand operand);

}  // namespace mfma::catalogue
