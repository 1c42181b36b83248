#include "harness/system/digest.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/system/support.h"

namespace mfma::system {
namespace {

// XXH128 of the empty input with seed 0, from the xxHash specification's test vectors.
TEST(Digest, EmptyInputHasThePublishedValue) { EXPECT_EQ(Digest().hex(), "99aa06d3014798d86001c324468d497f"); }

TEST(Digest, PiecesDoNotMatterButFieldBordersDo) {
  EXPECT_EQ(Digest().bytes("ab", 2).bytes("c", 1).hex(), Digest().bytes("abc", 3).hex());
  EXPECT_NE(Digest().field("ab").field("c").hex(), Digest().field("a").field("bc").hex());
}

TEST(Digest, FileIsHashedWhole) {
  const auto directory = test::scratch();
  std::string content(3'000'001, 'x');  // more than one buffer, not a multiple of it
  test::write_file(directory.path() / "f", content);
  EXPECT_EQ(digest_of_file(directory.path() / "f").value(), Digest().bytes(content.data(), content.size()).hex());
  content.back() = 'y';
  test::write_file(directory.path() / "f", content);
  EXPECT_EQ(digest_of_file(directory.path() / "f").value(), Digest().bytes(content.data(), content.size()).hex());
}

TEST(Digest, UnreadableFileIsAnErrorThatNamesIt) {
  const auto missing = digest_of_file("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("/no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace mfma::system
