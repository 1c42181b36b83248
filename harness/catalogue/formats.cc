#include <array>
#include <cstddef>

#include "harness/catalogue/builtin.h"

namespace mfma::catalogue {
namespace {

struct FormatRow {
  std::string_view name;
  int bits;
};

// In the order of ElementFormat.
constexpr std::array<FormatRow, 11> kFormats{{{"f64", 64},
                                              {"f32", 32},
                                              {"f16", 16},
                                              {"bf16", 16},
                                              {"fp8_e4m3", 8},
                                              {"bf8_e5m2", 8},
                                              {"fp6_e2m3", 6},
                                              {"bf6_e3m2", 6},
                                              {"fp4_e2m1", 4},
                                              {"i8", 8},
                                              {"i32", 32}}};

}  // namespace

std::string_view name_of(ElementFormat f) { return kFormats.at(static_cast<std::size_t>(f)).name; }

int bits_of(ElementFormat f) { return kFormats.at(static_cast<std::size_t>(f)).bits; }

}  // namespace mfma::catalogue
