// Hostile code objects: the loader refuses them with one line, or what they hold can be listed, decoded and launched.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>

#include "fuzz/targets/target.h"
#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"

namespace mfma::fuzz {
namespace {

constexpr std::size_t kMostKernels = 4, kMostRendered = 4096;
constexpr std::uint32_t kWorkgroups = 2;
constexpr std::uint64_t kBudget = 2000;
constexpr std::size_t kArrayBytes = 64 * 1024;

int wrong(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  return 1;
}

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == std::string::npos; }

int render_all(const gfx950::CodeObject& object, const std::string& kernel) {
  const auto instructions = gfx950::kernel_instructions(object, kernel);
  if (!instructions)
    return wrong(fmt::format("kernel '{}' is listed but has no code: {}", kernel, instructions.error()));
  std::size_t rendered = 0;
  for (const gfx950::Instruction& instruction : *instructions) {
    if (++rendered > kMostRendered) break;
    if (gfx950::render(instruction).empty()) return wrong(fmt::format("nothing rendered at {:#x}", instruction.pc));
  }
  return 0;
}

int launch(const gfx950::CodeObject& object, const std::string& kernel) {
  gfx950::Machine machine(nullptr);
  std::array<std::uint64_t, 7> arguments{};
  for (std::size_t i = 0; i < 6; ++i) arguments[i] = machine.allocate(kArrayBytes);
  arguments[6] = kWorkgroups;
  const gfx950::LaunchResult result =
      machine.launch(object, kernel, kWorkgroups, std::as_bytes(std::span(arguments)), kBudget);
  if (result.instructions > kBudget * kWorkgroups) return wrong("more instructions than the budget allows");
  const bool completed = result.stop == gfx950::Stop::kCompleted;
  if (completed != result.message.empty())
    return wrong(fmt::format("stop {} with the message '{}'", static_cast<int>(result.stop), result.message));
  return completed || is_one_line(result.message) ? 0 : wrong(fmt::format("no single line: '{}'", result.message));
}

}  // namespace

std::string begin(const Options&) { return {}; }

}  // namespace mfma::fuzz

int fuzz_one(const std::uint8_t* data, std::size_t size) {
  using namespace mfma;
  const auto object = gfx950::load_code_object(std::as_bytes(std::span(data, size)));
  if (!object) {
    return fuzz::is_one_line(object.error()) ? 0 : fuzz::wrong(fmt::format("no single line: '{}'", object.error()));
  }
  std::size_t kernels = 0;
  for (const std::string& kernel : gfx950::kernel_names(**object)) {
    if (++kernels > fuzz::kMostKernels) break;
    if (fuzz::render_all(**object, kernel) != 0 || fuzz::launch(**object, kernel) != 0) return 1;
  }
  return 0;
}
