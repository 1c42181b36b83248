#include "harness/cases/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace mfma::cases {
namespace {

// The numbers of the generators' authors' reference code.
TEST(Splitmix64, KnownSequence) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                       4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(splitmix64(state), expected);
  }
}

TEST(Rng, IsXoshiro256StarStar) {
  Rng rng(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (const std::uint64_t expected : {11520u, 0u, 1509978240u}) EXPECT_EQ(rng.next(), expected);
  for (const std::uint64_t expected :
       {1215971899390074240u, 1216172134540287360u, 607988272756665600u, 16172922978634559625u, 8476171486693032832u}) {
    EXPECT_EQ(rng.next(), expected);
  }
}

TEST(Rng, SeedGoesThroughSplitmix) {
  std::uint64_t state = 1234567;
  std::array<std::uint64_t, 4> words{};
  for (std::uint64_t& word : words) word = splitmix64(state);
  Rng seeded(1234567), direct(words);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(seeded.next(), direct.next());
}

TEST(Rng, BoundedDrawsStayInsideAndReachEverything) {
  Rng rng(1);
  for (const std::uint32_t bound : {1u, 2u, 3u, 7u, 256u}) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < 40 * bound; ++i) seen.insert(rng.below(bound));
    EXPECT_EQ(seen.size(), bound);
    EXPECT_LT(*seen.rbegin(), bound);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(rng.below(0x80000001u), 0x80000001u);
    const int value = rng.between(-3, 2);
    EXPECT_TRUE(value >= -3 && value <= 2);
  }
}

// Rejection keeps every value as likely as any other: 2^32 mod 3 is 1, so without it 0 would be drawn more often by
// one part in 2^32, which no test sees; with a bound of 3 * 2^30 it would be twice as often in a quarter of the range.
TEST(Rng, BoundedDrawsAreUnbiased) {
  Rng rng(2);
  constexpr std::uint32_t kBound = 3u << 30;
  std::array<int, 3> thirds{};
  for (int i = 0; i < 30000; ++i) ++thirds[rng.below(kBound) >> 30];
  for (const int count : thirds) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace mfma::cases
