#include "harness/cases/operands.h"

#include <array>
#include <cstddef>

#include "harness/cases/generators.h"

namespace mfma::cases {
namespace {

struct ClassRow {
  std::string_view name;
  void (*make)(Case&, Rng&);
};

// In the order of OperandClass.
constexpr std::array<ClassRow, kOperandClasses> kClasses{{{"small_integers", detail::make_small_integers},
                                                          {"random_bits", detail::make_random_bits},
                                                          {"specials", detail::make_specials}}};

const ClassRow& row_of(OperandClass c) { return kClasses.at(static_cast<std::size_t>(c)); }

catalogue::RegisterImage random_image(int registers, Rng& rng) {
  catalogue::RegisterImage image(registers);
  for (std::size_t i = 0; i < image.dwords.size(); i += 2) {
    const std::uint64_t bits = rng.next();
    image.dwords[i] = static_cast<std::uint32_t>(bits);
    image.dwords[i + 1] = static_cast<std::uint32_t>(bits >> 32);
  }
  return image;
}

}  // namespace

std::string_view name_of(OperandClass c) { return row_of(c).name; }

std::optional<OperandClass> operand_class_named(std::string_view name) {
  for (int i = 0; i < kOperandClasses; ++i) {
    const auto candidate = static_cast<OperandClass>(i);
    if (name_of(candidate) == name) return candidate;
  }
  return std::nullopt;
}

OperandClass class_of(std::uint64_t index) { return static_cast<OperandClass>(index % kOperandClasses); }

Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index) {
  return make_case(instance, seed, index, class_of(index));
}

Case make_case(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index, OperandClass cls) {
  Rng rng(case_seed(seed, catalogue::instance_id(instance), index));
  Case c;
  c.instance = instance;
  c.seed = seed;
  c.index = index;
  c.operand_class = name_of(cls);
  c.a = random_image(instance.builtin->a_registers, rng);
  c.b = random_image(instance.builtin->b_registers, rng);
  c.c = random_image(instance.builtin->c_registers, rng);
  c.has_scales = instance.modifiers.scaled;
  if (c.has_scales) {
    c.scale_a = random_image(1, rng);
    c.scale_b = random_image(1, rng);
  }
  row_of(cls).make(c, rng);
  return c;
}

}  // namespace mfma::cases
