// What the tests of this folder share: scratch directories and programs made of a few lines of shell.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/system/process.h"

namespace mfma {

namespace fs = std::filesystem;

namespace test {

inline system::TemporaryDirectory scratch() {
  auto made = system::TemporaryDirectory::create();
  if (!made) throw std::runtime_error(made.error());
  return std::move(*made);
}

inline void write_file(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline fs::path write_script(const fs::path& path, std::string_view body) {
  write_file(path, "#!/bin/sh\n" + std::string(body));
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

// A shell program that passes for clang 99 until it is asked to compile: then it does what `on_compile` says. $out is
// the name of the output file.
inline fs::path write_fake_compiler(const fs::path& path, std::string_view on_compile) {
  return write_script(path, R"(for last; do :; done; out=$last
case "$1" in
  --version) echo "fake clang version 99.0.0"; exit 0;;
  '-###') exit 0;;
esac
)" + std::string(on_compile));
}

// Sets a variable of the environment for as long as the object lives.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;
  ~ScopedEnvironment() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace test
}  // namespace mfma
