#include <array>
#include <vector>

#include "fuzz/targets/draw.h"
#include "harness/catalogue/layout.h"
#include "harness/operands/operands.h"

namespace mfma::fuzz {
namespace {

using catalogue::Operand;
using catalogue::RegisterImage;

constexpr std::size_t kMostEdits = 512;

struct Image {
  Operand operand;
  RegisterImage* image;
};

std::vector<Image> images_of(cases::Case& c) {
  std::vector<Image> images = {{Operand::kA, &c.a}, {Operand::kB, &c.b}, {Operand::kC, &c.c}};
  if (c.has_scales) images.insert(images.end(), {{Operand::kScaleA, &c.scale_a}, {Operand::kScaleB, &c.scale_b}});
  return images;
}

// Spreads neighbouring numbers over all 64 bits (the finaliser of MurmurHash3, a public constant each).
std::uint64_t spread(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

// Every element gets one of up to eight codes of the input; bits that no element holds are garbage.
void deal_out(FuzzedDataProvider& in, cases::Case& c) {
  std::uint64_t salt = in.ConsumeIntegral<std::uint16_t>();
  for (const auto& [operand, image] : images_of(c)) {
    const catalogue::Layout& layout = catalogue::shared_layout(c.instance, operand);
    std::array<std::uint64_t, 8> palette{};
    const auto count = in.ConsumeIntegralInRange<std::size_t>(1, palette.size());
    for (std::size_t i = 0; i < count; ++i) palette[i] = draw_code(in, layout.element_bits());
    salt = spread(salt + 1);
    for (std::size_t i = 0; i < image->dwords.size(); ++i) {
      image->dwords[i] = static_cast<std::uint32_t>(spread(salt + i) >> 32);
    }
    std::vector<std::uint64_t> codes = catalogue::read_elements(layout, *image);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = palette[spread(salt ^ i) % count];
    catalogue::write_elements(layout, codes, *image);
  }
}

void repeat_bytes(FuzzedDataProvider& in, cases::Case& c) {
  const std::vector<std::uint8_t> bytes = in.ConsumeBytes<std::uint8_t>(in.ConsumeIntegralInRange<std::size_t>(1, 256));
  if (bytes.empty()) return;
  std::size_t next = 0;
  for (const auto& [operand, image] : images_of(c)) {
    for (std::uint32_t& dword : image->dwords) {
      dword = 0;
      for (int i = 0; i < 4; ++i) dword = dword << 8 | bytes[next++ % bytes.size()];
    }
  }
}

void clear(cases::Case& c) {
  for (const auto& [operand, image] : images_of(c)) image->dwords.assign(image->dwords.size(), 0);
}

void edit(FuzzedDataProvider& in, cases::Case& c) {
  const std::vector<Image> images = images_of(c);
  for (std::size_t n = 0; n < kMostEdits && in.remaining_bytes() >= 4; ++n) {
    RegisterImage& image = *images[in.ConsumeIntegralInRange<std::size_t>(0, images.size() - 1)].image;
    image.dwords[in.ConsumeIntegralInRange<std::size_t>(0, image.dwords.size() - 1)] =
        static_cast<std::uint32_t>(draw_code(in, 32));
  }
}

}  // namespace

std::uint64_t draw_code(FuzzedDataProvider& in, int bits) {
  std::array<std::uint8_t, 8> bytes{};
  in.ConsumeData(bytes.data(), static_cast<std::size_t>(bits + 7) / 8);
  std::uint64_t code = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) code |= std::uint64_t{bytes[i]} << (8 * i);
  return bits == 64 ? code : code & ((std::uint64_t{1} << bits) - 1);
}

cases::Case draw_case(FuzzedDataProvider& in, const catalogue::Instance& instance) {
  enum Fill { kZeros, kClass, kDealtOut, kRepeated };
  const auto fill = in.ConsumeIntegralInRange<int>(kZeros, kRepeated);
  const bool of_class = fill == kClass;
  const std::uint64_t seed = of_class ? in.ConsumeIntegral<std::uint16_t>() : 0;
  const std::uint64_t index = of_class ? in.ConsumeIntegral<std::uint16_t>() : 0;
  cases::Case c = operands::make_case(instance, seed, index);
  if (!of_class) clear(c);
  if (fill == kDealtOut) deal_out(in, c);
  if (fill == kRepeated) repeat_bytes(in, c);
  edit(in, c);
  return c;
}

}  // namespace mfma::fuzz
