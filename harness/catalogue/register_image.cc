#include "harness/catalogue/register_image.h"

#include <fmt/format.h>

#include <stdexcept>

namespace mfma::catalogue {
namespace {

constexpr std::uint64_t mask_of(int width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

void require_fit(const Layout& layout, const RegisterImage& image) {
  const auto expected = static_cast<std::size_t>(image.registers) * kLanes;
  if (image.registers >= layout.registers() && image.dwords.size() == expected) return;
  throw std::invalid_argument(fmt::format("register image of {} registers and {} dwords, the layout needs {} registers",
                                          image.registers, image.dwords.size(), layout.registers()));
}

// The first dword of an element, and the bit in it. An element lies in one dword or in two neighbours.
struct Place {
  std::size_t dword;
  int shift;
  bool crosses;
};

Place place_of(const Location& at, int registers) {
  return {static_cast<std::size_t>(at.lane * registers + at.bit / 32), at.bit % 32, at.bit % 32 + at.width > 32};
}

}  // namespace

std::uint32_t& RegisterImage::at(int lane, int reg) {
  return dwords.at(static_cast<std::size_t>(lane * registers + reg));
}

std::uint32_t RegisterImage::at(int lane, int reg) const {
  return dwords.at(static_cast<std::size_t>(lane * registers + reg));
}

std::vector<std::uint64_t> read_elements(const Layout& layout, const RegisterImage& image) {
  require_fit(layout, image);
  std::vector<std::uint64_t> codes;
  codes.reserve(layout.locations().size());
  for (const Location& at : layout.locations()) {
    const Place place = place_of(at, image.registers);
    std::uint64_t bits = image.dwords[place.dword];
    if (place.crosses) bits |= std::uint64_t{image.dwords[place.dword + 1]} << 32;
    codes.push_back(bits >> place.shift & mask_of(at.width));
  }
  return codes;
}

void write_elements(const Layout& layout, std::span<const std::uint64_t> codes, RegisterImage& image) {
  require_fit(layout, image);
  if (codes.size() != layout.locations().size()) {
    throw std::invalid_argument(
        fmt::format("{} element codes, the layout has {} elements", codes.size(), layout.locations().size()));
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Location& at = layout.locations()[i];
    const Place place = place_of(at, image.registers);
    const std::uint64_t mask = mask_of(at.width) << place.shift;
    const std::uint64_t bits = codes[i] << place.shift & mask;
    std::uint32_t& low = image.dwords[place.dword];
    low = (low & ~static_cast<std::uint32_t>(mask)) | static_cast<std::uint32_t>(bits);
    if (!place.crosses) continue;
    std::uint32_t& high = image.dwords[place.dword + 1];
    high = (high & ~static_cast<std::uint32_t>(mask >> 32)) | static_cast<std::uint32_t>(bits >> 32);
  }
}

}  // namespace mfma::catalogue
