// Kernels of every dense builtin, from the compiler to memory: each must run to its end at every level, with operands
// in VGPRs and in AccVGPRs, and store what the matrix unit alone makes of the same register images.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <random>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"
#include "tests/gfx950/sample_kernels.h"
#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

constexpr unsigned kLaneCount = 64, kCases = 2;

using Words = std::vector<std::uint32_t>;

Words random_words(std::size_t count, std::mt19937& random) {
  Words words(count);
  for (auto& word : words) word = static_cast<std::uint32_t>(random());
  return words;
}

// From memory, lane after lane, to [register][lane]; only the first `registers` of each lane's.
Words to_registers(std::span<const std::uint32_t> memory, unsigned per_lane, unsigned registers) {
  Words out(registers * kLaneCount);
  for (unsigned lane = 0; lane < kLaneCount; ++lane) {
    for (unsigned r = 0; r < registers; ++r) out[r * kLaneCount + lane] = memory[lane * per_lane + r];
  }
  return out;
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::uint64_t upload(Machine& machine, const Words& words) {
  const std::uint64_t address = machine.allocate(words.size() * 4);
  EXPECT_TRUE(machine.write(address, std::as_bytes(std::span(words))));
  return address;
}

// Opcode and immediates as the compiled kernel has them: what the unit must be told.
Instruction matrix_instruction(const CodeObject& object, const std::string& kernel) {
  const auto instructions = kernel_instructions(object, kernel);
  Instruction found;
  unsigned count = 0;
  for (const Instruction& in : instructions.value()) {
    if (in.mnemonic == nullptr || !std::string_view(in.mnemonic).starts_with("v_mfma")) continue;
    found = in;
    ++count;
  }
  EXPECT_EQ(count, 1u) << kernel;
  return found;
}

// The immediates that the source text gives, against those that the instruction carries.
void expect_modifiers(const SampleKernel& kernel, const Instruction& in) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < kernel.modifiers.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(kernel.modifiers[i])) != 0)
      numbers.push_back(kernel.modifiers[i] - '0');
  }
  if (!kernel.builtin->scaled) {
    ASSERT_EQ(numbers.size(), 3u);
    EXPECT_EQ(numbers, (std::vector<int>{in.bits.cbsz, in.bits.abid, in.bits.blgp}));
    return;
  }
  ASSERT_EQ(numbers.size(), 4u);  // format of A, format of B, byte of A's scale, byte of B's
  EXPECT_EQ(numbers[0], in.bits.cbsz);
  EXPECT_EQ(numbers[1], in.bits.blgp);
  if (!kernel.with_scales) return;
  EXPECT_EQ(numbers[2], (in.bits.select_high & 1) * 2 + (in.bits.select & 1));
  EXPECT_EQ(numbers[3], (in.bits.select_high >> 1 & 1) * 2 + (in.bits.select >> 1 & 1));
}

void run_and_compare(const CodeObject& object, const SampleKernel& kernel, std::mt19937& random) {
  SCOPED_TRACE(fmt::format("{} {} ({})", kernel.name, kernel.builtin->name, kernel.modifiers));
  const SampleBuiltin& builtin = *kernel.builtin;
  const unsigned a_dwords = builtin.a_bytes / 4, b_dwords = builtin.b_bytes / 4, c_dwords = builtin.c_bytes / 4;
  Machine machine(nullptr);
  const auto image = [&](unsigned dwords) { return random_words(std::size_t{dwords} * kLaneCount * kCases, random); };
  const Words a = image(a_dwords), b = image(b_dwords), c = image(c_dwords), sa = image(1), sb = image(1);
  const Words untouched(std::size_t{c_dwords} * kLaneCount * (kCases + 1), 0x5a5a5a5a);
  std::vector<std::byte> arguments;
  for (const Words* words : {&a, &b, &c}) append(arguments, upload(machine, *words));
  const std::uint64_t d = upload(machine, untouched);
  append(arguments, d);
  if (builtin.scaled) {
    append(arguments, upload(machine, sa));
    append(arguments, upload(machine, sb));
  }
  append<std::int32_t>(arguments, kCases);
  const LaunchResult result = machine.launch(object, kernel.name, kCases + 1, arguments);
  ASSERT_EQ(result.stop, Stop::kCompleted) << result.message;
  Words got(untouched.size());
  ASSERT_TRUE(machine.read(d, std::as_writable_bytes(std::span(got))));

  const Instruction in = matrix_instruction(object, kernel.name);
  const bool f8f6f4 = builtin.scaled;
  const MatrixControls controls{in.opcode, in.bits.cbsz, f8f6f4 ? 0 : in.bits.abid, in.bits.blgp};
  const MatrixForm form = matrix_form(controls);
  ASSERT_TRUE(form.known);
  expect_modifiers(kernel, in);
  ASSERT_EQ(in.encoding == Encoding::kScaledMai, kernel.with_scales);
  const MatrixUnit unit(nullptr);
  for (unsigned w = 0; w < kCases; ++w) {
    const auto slice = [&](const Words& words, unsigned dwords) {
      return std::span(words).subspan(std::size_t{w} * dwords * kLaneCount, std::size_t{dwords} * kLaneCount);
    };
    const Words ra = to_registers(slice(a, a_dwords), a_dwords, static_cast<unsigned>(form.a_registers));
    const Words rb = to_registers(slice(b, b_dwords), b_dwords, static_cast<unsigned>(form.b_registers));
    const Words rc = to_registers(slice(c, c_dwords), c_dwords, c_dwords);
    MatrixOperands operands{ra, rb, rc, {}, {}, 0, 0};
    if (kernel.with_scales) {
      operands.scale_a = slice(sa, 1);
      operands.scale_b = slice(sb, 1);
      operands.scale_byte_a = (in.bits.select_high & 1) * 2 + (in.bits.select & 1);
      operands.scale_byte_b = (in.bits.select_high >> 1 & 1) * 2 + (in.bits.select >> 1 & 1);
    }
    Words expected(std::size_t{c_dwords} * kLaneCount);
    ASSERT_EQ(unit.execute(controls, operands, expected), "");
    const Words stored = to_registers(slice(got, c_dwords), c_dwords, c_dwords);
    ASSERT_EQ(stored, expected) << "workgroup " << w;
  }
  // The workgroup beyond `n` must have stored nothing.
  const Words tail(got.end() - c_dwords * kLaneCount, got.end());
  EXPECT_EQ(tail, Words(std::size_t{c_dwords} * kLaneCount, 0x5a5a5a5a));
}

class EveryBuiltin : public ::testing::TestWithParam<std::tuple<const char*, Registers>> {};

TEST_P(EveryBuiltin, RunsToItsEndAndStoresWhatTheMatrixUnitComputes) {
  const auto [level, registers] = GetParam();
  const std::vector<SampleKernel> kernels = sample_kernels();
  const auto object = load_code_object(compile_hip(sample_source(kernels, registers), level));
  ASSERT_TRUE(object) << object.error();
  ASSERT_EQ(kernel_names(**object).size(), kernels.size());
  std::mt19937 random(99);
  for (const SampleKernel& kernel : kernels) run_and_compare(**object, kernel, random);
}

INSTANTIATE_TEST_SUITE_P(Levels, EveryBuiltin,
                         ::testing::Combine(::testing::Values("O0", "O1", "O2", "O3"),
                                            ::testing::Values(Registers::kCompilerChoice, Registers::kVgpr,
                                                              Registers::kAgpr)));

// Few registers force spills to scratch memory.
TEST(EveryBuiltin, RunsWithSpills) {
  const std::vector<SampleKernel> kernels = sample_kernels();
  std::string source = sample_source(kernels, Registers::kCompilerChoice);
  const std::string from = "amdgpu_flat_work_group_size(64, 64)";
  source.replace(source.find(from), from.size(), from + ", amdgpu_num_vgpr(64)");
  const auto object = load_code_object(compile_hip(source, "O0"));
  ASSERT_TRUE(object) << object.error();
  std::mt19937 random(3);
  for (const SampleKernel& kernel : kernels) run_and_compare(**object, kernel, random);
}

}  // namespace
}  // namespace mfma::gfx950::test
