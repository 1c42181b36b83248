// The real compiler behind a program that plants one fault in the objects it makes (rewriting_compiler.cc).
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace mfma::checks::testing {

// `fault` as rewriting_compiler takes it: "none", "cbsz-dropped", "cbsz-dropped@-O2" (at that level only). Needs
// MFMA_REWRITER defined. A script in a folder of its own, both gone with this object.
class FaultyCompiler {
 public:
  explicit FaultyCompiler(const std::string& fault) {
    static int number = 0;  // two of one fault may live at once
    folder_ = std::filesystem::temp_directory_path() /
              ("mfma_faulty_" + fault + "_" + std::to_string(getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << "#!/bin/sh\nexec " << MFMA_REWRITER << " " << fault << " clang-22 \"$@\"\n";
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  ~FaultyCompiler() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  FaultyCompiler(const FaultyCompiler&) = delete;
  FaultyCompiler& operator=(const FaultyCompiler&) = delete;

  std::string path() const { return (folder_ / "clang").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace mfma::checks::testing
