// A target under libFuzzer: whatever the target reports becomes a crash, which libFuzzer keeps and reduces.
#include <fmt/format.h>

#include <cstdlib>

#include "fuzz/targets/arguments.h"

namespace {
constexpr int kCannotRun = 2;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  mfma::fuzz::Options options;
  // libFuzzer passes over flags with two dashes by itself.
  for (int i = 1; i < *argc; ++i) mfma::fuzz::take_flag((*argv)[i], options);
  if (const std::string error = mfma::fuzz::begin(options); !error.empty()) {
    fmt::print(stderr, "{}: {}\n", (*argv)[0], error);
    std::exit(kCannotRun);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (fuzz_one(data, size) != 0) std::abort();
  return 0;
}
