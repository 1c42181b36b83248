#include "harness/system/glob.h"

#include <gtest/gtest.h>

namespace mfma::system {
namespace {

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("mfma_*_f16", "mfma_f32_16x16x32_f16"));
  EXPECT_FALSE(glob_matches("mfma_*_f16", "mfma_f32_16x16x32_bf16"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("*a*ab", "aaab"));
  EXPECT_FALSE(glob_matches("abc", "abcd"));
  EXPECT_TRUE(glob_matches("abc**", "abc"));
  EXPECT_TRUE(glob_matches("mfma_[fi]32*", "mfma_i32_4x4x4i8"));
  EXPECT_FALSE(glob_matches("mfma_[fi]32*", "mfma_f64_4x4x4f64"));
}

}  // namespace
}  // namespace mfma::system
