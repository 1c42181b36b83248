// Any text as a case file: refused in one line with its place, or what is written of it means the same again.
#include "harness/cases/case_file.h"

#include <fmt/format.h>

#include "fuzz/targets/target.h"

namespace mfma::fuzz {
namespace {

constexpr std::string_view kName = "INPUT";

int wrong(const char* what, const std::string& detail) {
  fmt::print(stderr, "{}: {}\n", what, detail);
  return 1;
}

// "INPUT:12: what is wrong".
bool names_its_place(const std::string& error) {
  if (!error.starts_with(std::string(kName) + ":")) return false;
  const std::size_t digits = error.find_first_not_of("0123456789", kName.size() + 1);
  return digits != std::string::npos && digits > kName.size() + 1 && error.compare(digits, 2, ": ") == 0 &&
         error.size() > digits + 2;
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto file = cases::parse_case_file(text, fuzz::kName);
  if (!file) {
    const bool one_line = file.error().find('\n') == std::string::npos && fuzz::names_its_place(file.error());
    return one_line ? 0 : fuzz::wrong("refused, but not in one line with its place", file.error());
  }
  const std::string written = cases::to_text(*file);
  if (written.size() > cases::kLargestCaseFile)
    return fuzz::wrong("written larger than what is read", text.substr(0, 60));
  const auto again = cases::parse_case_file(written, fuzz::kName);
  if (!again) return fuzz::wrong("what was written is refused", again.error());
  return *again == *file ? 0 : fuzz::wrong("what was written means another case", written.substr(0, 200));
}
