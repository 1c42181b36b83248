#include "harness/bundles/repro_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/bundles/dword_text.h"
#include "harness/kernels/kernel.h"

namespace mfma::bundles {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  const auto part = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

// The name that a line of the preamble defines: "#define NAME(...", "typedef T NAME;", "typedef T NAME VECTOR(4);".
std::string_view defined_name(std::string_view line) {
  const bool macro = line.starts_with("#define ");
  if (!macro && !line.starts_with("typedef ")) return {};
  if (macro) {
    line.remove_prefix(8);
    return line.substr(0, line.find_first_of(" ("));
  }
  line = line.substr(0, std::min(line.find(" VECTOR("), line.find(';')));
  return line.substr(line.rfind(' ') + 1);
}

// Those lines of the kernels' preamble that `text` needs, and those that they need.
std::string preamble_for(const std::string& text) {
  const std::string_view all = kernels::preamble();
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    lines.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  std::string kept;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view name = defined_name(*line);
    if (!name.empty() && (has_word(text, name) || has_word(kept, name))) kept = std::string(*line) + "\n" + kept;
  }
  return kept;
}

constexpr std::string_view kHostFunctions = R"(
// "V*N" stands for N of V; what the text leaves out at its end is zero.
static unsigned* dwords(const char* text, int count) {
  unsigned* out = (unsigned*)calloc(count, sizeof(unsigned));
  for (int n = 0; n < count;) {
    char* end;
    const unsigned value = (unsigned)strtoul(text, &end, 16);
    const int times = *end == '*' ? (int)strtol(end + 1, &end, 10) : 1;
    for (int i = 0; i < times && n < count; ++i) out[n++] = value;
    text = end;
  }
  return out;
}
static void must(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  fprintf(stderr, "cannot be run: %s: %s\n", what, hipGetErrorString(error));
  exit(2);
}
static void* on_device(const char* text, int count) {
  void* p = 0;
  must(hipMalloc(&p, count * sizeof(unsigned)), "hipMalloc");
  must(hipMemcpy(p, dwords(text, count), count * sizeof(unsigned), hipMemcpyHostToDevice), "hipMemcpy");
  return p;
}
)";

std::string main_function(const Repro& repro) {
  const catalogue::Builtin& b = *repro.c.instance.builtin;
  const int d = repro.expected.registers;
  const auto operand = [](std::string_view type, std::string_view name, int registers) {
    return fmt::format("(const {}*)on_device({}, 64 * {})", type, name, registers);
  };
  std::string scales;
  if (repro.c.has_scales)
    scales = "                     " + operand("i32", "kScaleA", 1) + ", " + operand("i32", "kScaleB", 1) + ",\n";
  return fmt::format(
      "int main() {{\n"
      "  enum {{ kRegisters = {} }};\n"
      "  {}* d = ({}*)on_device(\"deadbeef*{}\", 64 * kRegisters);\n"
      "  hipLaunchKernelGGL({}, dim3(1), dim3(64), 0, 0, {},\n"
      "                     {}, {}, d,\n{}"
      "                     1);\n"
      "  must(hipGetLastError(), \"launch\");\n"
      "  must(hipDeviceSynchronize(), \"kernel\");\n"
      "  static unsigned actual[64 * kRegisters];\n"
      "  must(hipMemcpy(actual, d, sizeof actual, hipMemcpyDeviceToHost), \"hipMemcpy\");\n"
      "  const unsigned *expected = dwords(kExpected, 64 * kRegisters), *decides = dwords(kDecides, 64);\n"
      "  int wrong = 0, open = 0;\n"
      "  for (int n = 0; n < 64 * kRegisters; ++n) {{\n"
      "    if (actual[n] == expected[n]) continue;\n"
      "    const int lane = n / kRegisters, reg = n % kRegisters, decisive = decides[lane] >> reg & 1;\n"
      "    if (decisive ? wrong++ < 16 : open++ < 16)\n"
      "      printf(\"lane %d, register %d: expected %08x, actual %08x%s\\n\", lane, reg, expected[n], actual[n],\n"
      "             decisive ? \"\" : \" (rests on an unconfirmed model of the adders: not counted as wrong)\");\n"
      "  }}\n"
      "  printf(\"%d dwords of D are wrong, %d differ where nobody knows: %s\\n\", wrong, open, wrong ? \"FAIL\" : "
      "\"PASS\");\n"
      "  return wrong != 0;\n"
      "}}\n",
      d, b.result_type, b.result_type, 64 * d, kernels::kernel_name(repro.c.instance),
      operand(b.a_type, "kA", repro.c.a.registers), operand(b.b_type, "kB", repro.c.b.registers),
      operand(b.c_type, "kC", repro.c.c.registers), scales);
}

std::string data(const Repro& repro, std::size_t columns) {
  std::string text = "// Dwords in hex: the registers of lane 0, then those of lane 1, and so on.\n";
  text += c_array("kA", dword_text(repro.c.a.dwords), columns);
  text += c_array("kB", dword_text(repro.c.b.dwords), columns);
  text += c_array("kC", dword_text(repro.c.c.dwords), columns);
  if (repro.c.has_scales) {
    text += c_array("kScaleA", dword_text(repro.c.scale_a.dwords), columns);
    text += c_array("kScaleB", dword_text(repro.c.scale_b.dwords), columns);
  }
  text += c_array("kExpected", dword_text(repro.expected.dwords), columns);
  text += "// By lane: bit r is set where register r of D decides between exit code 0 and 1.\n";
  return text + c_array("kDecides", dword_text(repro.decides), columns);
}

}  // namespace

std::string repro_source(const Repro& repro) {
  const kernels::Piece kernel = kernels::piece_of(repro.c.instance);
  const std::string head = fmt::format(
      "// One call of __builtin_amdgcn_{} ({}),\n"
      "// as seen with {} at -{}. Exit code 0: D is as expected; 1: it is not; 2: it could not be run.\n"
      "#ifndef __HIP_DEVICE_COMPILE__\n#include <hip/hip_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n#endif\n",
      repro.c.instance.builtin->name, catalogue::instance_id(repro.c.instance), repro.compiler, repro.level);
  const std::string device = preamble_for(kernel.text) + kernel.text;
  const std::string host = std::string(kHostFunctions) + main_function(repro) + "#endif\n";
  std::string source;
  std::size_t columns = 120;
  do {  // all but the data is some 90 lines, so a few rounds are enough
    source = head + device + "#ifndef __HIP_DEVICE_COMPILE__\n" + data(repro, columns) + host;
    columns += columns / 2;
  } while (static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n')) > kMostLines && columns < 100'000);
  return source;
}

}  // namespace mfma::bundles
