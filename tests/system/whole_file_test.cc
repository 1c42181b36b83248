#include "harness/system/whole_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace mfma::system {
namespace {

TEST(BoundedFile, IsReadUpToItsBoundAndNotBeyond) {
  const std::filesystem::path file = ::testing::TempDir() + "/bounded_file";
  const std::string text(2u << 20, 'x');
  std::ofstream(file) << text;
  EXPECT_EQ(read_bounded_file(file, 2u << 20), text);
  EXPECT_EQ(read_bounded_file(file, (2u << 20) - 1).error(), "larger than 1 MiB");
  // Sparse, and larger than any memory.
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_EQ(read_bounded_file(file, 2u << 20).error(), "larger than 2 MiB");
  std::filesystem::remove(file);
  EXPECT_EQ(read_bounded_file(file, 1).error(), "cannot be read");
  EXPECT_EQ(read_bounded_file("/dev/zero", 1).error(), "cannot be read");
  EXPECT_EQ(read_bounded_file(::testing::TempDir(), 1u << 20).error(), "cannot be read");
}

}  // namespace
}  // namespace mfma::system
