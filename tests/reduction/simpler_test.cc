// Simpler codes are simpler, for every code of the narrow formats and for drawn ones of the others.
#include "harness/reduction/simpler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "harness/cases/codes.h"

namespace mfma::reduction::detail {
namespace {

using catalogue::ElementFormat;

constexpr ElementFormat kFormats[] = {ElementFormat::kF64,     ElementFormat::kF32,     ElementFormat::kF16,
                                      ElementFormat::kBf16,    ElementFormat::kFp8E4m3, ElementFormat::kBf8E5m2,
                                      ElementFormat::kFp6E2m3, ElementFormat::kBf6E3m2, ElementFormat::kFp4E2m1,
                                      ElementFormat::kI8,      ElementFormat::kI32};

std::uint64_t mask_of(ElementFormat format) {
  const int bits = catalogue::bits_of(format);
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// Empty, or what is wrong with the proposals for a code.
std::string wrong_with(ElementFormat format, std::uint64_t code) {
  const std::vector<std::uint64_t> simpler = simpler_codes(format, code);
  if (code == 0) return simpler.empty() ? "" : "zero can be simpler";
  if (simpler.empty() || simpler.front() != 0) return "zero is not the first to be tried";
  for (const std::uint64_t proposal : simpler) {
    if ((proposal & ~mask_of(format)) != 0) return "a code wider than the format";
    if (complexity(format, proposal) >= complexity(format, code)) return "no simpler";
  }
  return "";
}

TEST(Simpler, EveryCodeOfTheNarrowFormats) {
  for (const ElementFormat format : kFormats) {
    if (catalogue::bits_of(format) > 16) continue;
    for (std::uint64_t code = 0; code <= mask_of(format); ++code) {
      ASSERT_EQ(wrong_with(format, code), "") << catalogue::name_of(format) << " " << std::hex << code;
    }
  }
}

TEST(Simpler, DrawnCodesOfTheWideFormats) {
  setenv("RC_PARAMS", "seed=20260102 max_success=2000", 1);
  EXPECT_TRUE(rc::check([] {
    const ElementFormat format = *rc::gen::element(ElementFormat::kF64, ElementFormat::kF32, ElementFormat::kI32);
    const std::uint64_t code = *rc::gen::arbitrary<std::uint64_t>() & mask_of(format);
    RC_ASSERT(wrong_with(format, code) == "");
  }));
}

TEST(Simpler, ZeroAndOneAreTheEnds) {
  for (const ElementFormat format : kFormats) {
    EXPECT_EQ(complexity(format, 0), 0u);
    EXPECT_EQ(complexity(format, cases::encode_exact(format, 1, 0)), 1u) << catalogue::name_of(format);
    EXPECT_THAT(simpler_codes(format, cases::encode_exact(format, 1, 0)), ::testing::ElementsAre(0));
  }
}

TEST(Simpler, ScalesGoTowardsOne) {
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    const std::vector<std::uint64_t> simpler = simpler_scales(byte);
    EXPECT_EQ(simpler.empty(), byte == 127u);
    for (const std::uint64_t proposal : simpler) EXPECT_LT(scale_complexity(proposal), scale_complexity(byte)) << byte;
    if (byte != 127u) {
      EXPECT_EQ(simpler.front(), 127u);
    }
  }
}

}  // namespace
}  // namespace mfma::reduction::detail
