// Oracles use integers only: no source below oracles/ may name a floating-point type. The batched oracle may, outside its
// aligned sums: its transforms are proved error-free where they stand, and it is held equal to the plain oracle.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

namespace {

TEST(Sources, OraclesNameNoFloatingPointType) {
  const std::regex forbidden(R"(\b(float|double|_Float16|__fp16|__bf16|__float128|long double|cmath|math\.h|cfenv)\b)");
  const std::filesystem::path root = std::filesystem::path(MFMA_SOURCE_DIR) / "oracles";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc" && extension != ".in") continue;
    const bool batched = entry.path().parent_path().filename() == "batched";
    if (batched && entry.path().filename() != "aligned_impl.h") continue;
    ++files;
    std::ifstream in(entry.path());
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, forbidden)) << entry.path() << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 20);
}

}  // namespace
