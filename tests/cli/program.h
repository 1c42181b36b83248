// Runs the built mfma-conform and keeps what it printed.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace mfma::cli::testing {

struct Ran {
  int exit_code = -1;
  std::string out, err;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder of this process, removed when it ends.
inline const std::filesystem::path& scratch() {
  struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("mfma_cli_test_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

// `arguments` as a shell reads them; `input` on standard input.
inline Ran program(const std::string& arguments, const std::string& input = "") {
  const std::filesystem::path in = scratch() / "in", out = scratch() / "out", err = scratch() / "err";
  std::ofstream(in, std::ios::binary) << input;
  // Ours first, so that the arguments can redirect again.
  const std::string command =
      std::string(MFMA_PROGRAM) + " <" + in.string() + " >" + out.string() + " 2>" + err.string() + " " + arguments;
  const int status = std::system(command.c_str());
  Ran ran;
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = slurp(out);
  ran.err = slurp(err);
  return ran;
}

}  // namespace mfma::cli::testing
