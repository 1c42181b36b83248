// What the fuzz targets draw reaches all that there is to draw.
#include <gtest/gtest.h>

#include <set>

#include "fuzz/targets/draw_finding_kind.h"

namespace mfma::fuzz {
namespace {

TEST(Draw, EveryKindOfFinding) {
  std::set<reports::FindingKind> drawn;
  for (int byte = 0; byte < 256; ++byte) {
    const auto data = static_cast<std::uint8_t>(byte);
    FuzzedDataProvider in(&data, 1);
    drawn.insert(draw_finding_kind(in));
  }
  std::set<reports::FindingKind> all;
  for (int k = 0; k < reports::kFindingKinds; ++k) all.insert(static_cast<reports::FindingKind>(k));
  EXPECT_EQ(drawn, all);
}

}  // namespace
}  // namespace mfma::fuzz
