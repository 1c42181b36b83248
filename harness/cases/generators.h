// What the operand classes share. Internal to harness/cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/rng.h"

namespace mfma::cases::detail {

// Codes of one operand in its layout's order, to be changed and written back.
class Elements {
 public:
  Elements(const catalogue::Instance& instance, catalogue::Operand operand, catalogue::RegisterImage& image)
      : layout_(catalogue::shared_layout(instance, operand)),
        image_(image),
        codes_(catalogue::read_elements(layout_, image)) {}

  std::uint64_t& at(int block, int row, int column) {
    return codes_[static_cast<std::size_t>((block * layout_.rows() + row) * layout_.columns() + column)];
  }
  std::vector<std::uint64_t>& codes() { return codes_; }
  const catalogue::Layout& layout() const { return layout_; }
  void store() { catalogue::write_elements(layout_, codes_, image_); }

 private:
  const catalogue::Layout& layout_;
  catalogue::RegisterImage& image_;
  std::vector<std::uint64_t> codes_;
};

// Images of the case are sized and full of random bits when these are called.
void make_small_integers(Case& c, Rng& rng);
void make_random_bits(Case& c, Rng& rng);
void make_specials(Case& c, Rng& rng);

}  // namespace mfma::cases::detail
