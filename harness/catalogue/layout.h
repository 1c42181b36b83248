// Where every matrix element lives: element to (lane, bits) and back, for A, B, C, D and the scales.
//
// Sources: CDNA4 ISA manual 7.1.4 (general), 7.1.5.1 (8-bit operands of f8f6f4), 7.2.1 (scales); docs/discrepancies.md
// for f64 4x4x4. Layouts say where an element is stored, before cbsz, abid and blgp, which are the reader's business.
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

// The whole layout of one operand of one instance, both ways.
class Layout {
 public:
  Layout(const Instance& instance, Operand operand);

  int blocks() const;
  int rows() const;
  int columns() const;
  int registers() const;     // dwords per lane of the operand (1 for scales)
  int element_bits() const;

  Location locate(Element e) const;                         // e must be in range
  std::optional<Element> element_at(int lane, int bit) const;  // nullopt: no element holds that bit
  // locate() for all elements, in [block][row][column] order.
  const std::vector<Location>& locations() const;
  // Replaces one entry: for tests that show a wrong layout is found.
  void corrupt(std::size_t index, Location wrong);
};

}  // namespace mfma::catalogue
