// Where the emulated device runs workgroups, and what its hardware registers say of it.
#include "harness/gfx950/machine/places.h"

#include <gtest/gtest.h>

#include <set>

namespace mfma::gfx950 {
namespace {

TEST(Places, EachSimdHasItsTurnAndTheRegistersTellIt) {
  std::set<Place> seen;
  for (std::uint32_t workgroup = 0; workgroup < kPlaces; ++workgroup) {
    const Place place = place_of(workgroup);
    EXPECT_TRUE(seen.insert(place).second) << workgroup;
    EXPECT_EQ(place_from(hw_id_of(place), xcc_id_of(place)), place);
    EXPECT_EQ(place_of(workgroup + kPlaces), place);
  }
  EXPECT_EQ(seen.size(), 1024u);
}

// A value as hardware has it: wave 9, pipe 1, SH 1, thread group 3 and more are set, and are no part of the place.
TEST(Places, OtherFieldsOfHwIdAreNotRead) {
  const std::uint32_t hw_id =
      9u | 2u << 4 | 1u << 6 | 7u << 8 | 1u << 12 | 3u << 13 | 3u << 16 | 8u << 20 | 5u << 24 | 1u << 30;
  EXPECT_EQ(place_from(hw_id, 0xfffffff6), (Place{6, 3, 7, 2}));
}

}  // namespace
}  // namespace mfma::gfx950
