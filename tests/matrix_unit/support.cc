#include "tests/matrix_unit/support.h"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace mfma::gfx950::testing {
namespace {

struct Listed {
  int opcode;
  const char* name;
  int passes;
};

// Table 90 and the passes of section 12.10.
constexpr std::array<Listed, 36> kListed{{
    {53, "f32_16x16x32_bf16", 4},     {54, "i32_16x16x64_i8", 4},       {55, "f32_32x32x16_bf16", 8},
    {56, "i32_32x32x32_i8", 8},       {64, "f32_32x32x1_2b_f32", 16},   {65, "f32_16x16x1_4b_f32", 8},
    {66, "f32_4x4x1_16b_f32", 2},     {68, "f32_32x32x2_f32", 16},      {69, "f32_16x16x4_f32", 8},
    {72, "f32_32x32x4_2b_f16", 16},   {73, "f32_16x16x4_4b_f16", 8},    {74, "f32_4x4x4_16b_f16", 2},
    {76, "f32_32x32x8_f16", 8},       {77, "f32_16x16x16_f16", 4},      {80, "i32_32x32x4_2b_i8", 16},
    {81, "i32_16x16x4_4b_i8", 8},     {82, "i32_4x4x4_16b_i8", 2},      {84, "f32_16x16x32_f16", 4},
    {85, "f32_32x32x16_f16", 8},      {86, "i32_32x32x16_i8", 8},       {87, "i32_16x16x32_i8", 4},
    {93, "f32_32x32x4_2b_bf16", 16},  {94, "f32_16x16x4_4b_bf16", 8},   {95, "f32_4x4x4_16b_bf16", 2},
    {96, "f32_32x32x8_bf16", 8},      {97, "f32_16x16x16_bf16", 4},     {110, "f64_16x16x4_f64", 16},
    {111, "f64_4x4x4_4b_f64", 4},     {112, "f32_16x16x32_bf8_bf8", 4}, {113, "f32_16x16x32_bf8_fp8", 4},
    {114, "f32_16x16x32_fp8_bf8", 4}, {115, "f32_16x16x32_fp8_fp8", 4}, {116, "f32_32x32x16_bf8_bf8", 8},
    {117, "f32_32x32x16_bf8_fp8", 8}, {118, "f32_32x32x16_fp8_bf8", 8}, {119, "f32_32x32x16_fp8_fp8", 8},
}};

const Format& format_named(std::string_view name) {
  static const std::array<Format, 7> formats{kF16, kBf16, kF32, kF64, kFp8, kBf8, kI8};
  for (const Format& format : formats) {
    if (format.name == name) return format;
  }
  throw std::invalid_argument("no format " + std::string(name));
}

// "f32_16x16x4_4b_f16": everything there is to know.
Instruction parse(const Listed& listed) {
  Instruction result;
  result.opcode = listed.opcode;
  result.name = listed.name;
  result.passes = listed.passes;
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= result.name.size();) {
    const std::size_t to = std::min(result.name.find('_', from), result.name.size());
    words.push_back(result.name.substr(from, to - from));
    from = to + 1;
  }
  std::sscanf(words.at(1).c_str(), "%dx%dx%d", &result.m, &result.n, &result.k);
  std::size_t next = 2;
  if (words.at(2).back() == 'b') {
    result.blocks = std::stoi(words.at(2));
    next = 3;
  }
  result.a = format_named(words.at(next));
  result.b = format_named(words.back());
  return result;
}

struct Position {
  int lane, item;
};

// Manual 7.1.4.1; 7.1.5.1 for the 8-bit operands of f8f6f4.
Position input_position(const Instruction& in, const Format& format, int block, int row, int k) {
  if (in.f8f6f4 && format.bits() == 8) {
    const int groups = 64 / in.m;
    return {row + in.m * (k / 16 % groups), 16 * (k / (16 * groups)) + k % 16};
  }
  const int k_l = in.k / (64 / (in.m * in.blocks));
  return {row + in.m * (block + in.blocks * (k / k_l)), k % k_l};
}

// Manual 7.1.4.2; 4x4x4_4B f64 as the project decided.
Position result_position(const Instruction& in, int block, int i, int j) {
  if (in.f64() && in.m == 4) return {16 * i + 4 * block + j, 0};
  const int h = in.f64() ? 1 : 4;
  const int per_item = in.n * in.m / h;
  const int b_i = (64 + per_item - 1) / per_item;
  const int m_i = 64 / b_i / in.n;
  const int g = in.m / (h * m_i);
  return {j + in.n * ((i / h) % m_i + m_i * (block % b_i)), i % h + h * (i / (h * m_i) + g * (block / b_i))};
}

// Bit by bit, so that no item is too wide and none crosses a register unseen.
void put(std::vector<std::uint32_t>& registers, int lane, int first_bit, int bits, std::uint64_t code) {
  for (int n = 0; n < bits; ++n) {
    const int bit = first_bit + n;
    std::uint32_t& dword = registers.at(static_cast<std::size_t>(bit / 32 * 64 + lane));
    const std::uint32_t mask = std::uint32_t{1} << (bit % 32);
    dword = (code >> n & 1) != 0 ? dword | mask : dword & ~mask;
  }
}

std::uint64_t take(const std::vector<std::uint32_t>& registers, int lane, int first_bit, int bits) {
  std::uint64_t code = 0;
  for (int n = 0; n < bits; ++n) {
    const int bit = first_bit + n;
    code |= static_cast<std::uint64_t>(registers.at(static_cast<std::size_t>(bit / 32 * 64 + lane)) >> (bit % 32) & 1)
            << n;
  }
  return code;
}

std::size_t dwords(int items, int bits) { return static_cast<std::size_t>(items * bits / 32 * 64); }

}  // namespace

const Format& small_format(int code) {
  static const std::array<Format, 5> formats{kFp8, kBf8, kFp6, kBf6, kFp4};
  return formats.at(static_cast<std::size_t>(code));
}

const std::vector<Instruction>& plain_instructions() {
  static const std::vector<Instruction> all = [] {
    std::vector<Instruction> list;
    for (const Listed& listed : kListed) list.push_back(parse(listed));
    return list;
  }();
  return all;
}

Instruction instruction(int opcode) {
  for (const Instruction& in : plain_instructions()) {
    if (in.opcode == opcode) return in;
  }
  throw std::invalid_argument("no opcode " + std::to_string(opcode));
}

Instruction f8f6f4(int opcode, int format_a, int format_b) {
  Instruction in;
  in.opcode = opcode;
  in.m = in.n = opcode == 45 ? 16 : 32;
  in.k = opcode == 45 ? 128 : 64;
  in.a = small_format(format_a);
  in.b = small_format(format_b);
  in.cbsz = format_a;
  in.blgp = format_b;
  in.f8f6f4 = true;
  const bool wide = format_a < 2 || format_b < 2;
  in.passes = (opcode == 45 ? 4 : 8) * (wide ? 2 : 1);
  in.name = opcode == 45 ? "f32_16x16x128_f8f6f4" : "f32_32x32x64_f8f6f4";
  return in;
}

Image::Image(const Instruction& in)
    : instruction(in),
      cbsz(in.cbsz),
      blgp(in.blgp),
      a(dwords(in.items(), in.a.bits())),
      b(dwords(in.items(), in.b.bits())),
      c(dwords(in.d_items(), 32 * in.d_dwords())),
      d_(c.size()) {}

void Image::set_a(int block, int i, int k, std::uint64_t code) {
  const Position at = input_position(instruction, instruction.a, block, i, k);
  put(a, at.lane, at.item * instruction.a.bits(), instruction.a.bits(), code);
}
void Image::set_b(int block, int k, int j, std::uint64_t code) {
  const Position at = input_position(instruction, instruction.b, block, j, k);
  put(b, at.lane, at.item * instruction.b.bits(), instruction.b.bits(), code);
}
void Image::set_c(int block, int i, int j, std::uint64_t bits) {
  const Position at = result_position(instruction, block, i, j);
  put(c, at.lane, at.item * 32 * instruction.d_dwords(), 32 * instruction.d_dwords(), bits);
}
std::uint64_t Image::get_a(int block, int i, int k) const {
  const Position at = input_position(instruction, instruction.a, block, i, k);
  return take(a, at.lane, at.item * instruction.a.bits(), instruction.a.bits());
}
std::uint64_t Image::get_b(int block, int k, int j) const {
  const Position at = input_position(instruction, instruction.b, block, j, k);
  return take(b, at.lane, at.item * instruction.b.bits(), instruction.b.bits());
}
std::uint64_t Image::get_c(int block, int i, int j) const {
  const Position at = result_position(instruction, block, i, j);
  return take(c, at.lane, at.item * 32 * instruction.d_dwords(), 32 * instruction.d_dwords());
}
std::uint64_t Image::get_d(int block, int i, int j) const {
  const Position at = result_position(instruction, block, i, j);
  return take(d_, at.lane, at.item * 32 * instruction.d_dwords(), 32 * instruction.d_dwords());
}
void Image::fill_a(std::uint64_t code) {
  for (int block = 0; block < instruction.blocks; ++block) {
    for (int i = 0; i < instruction.m; ++i) {
      for (int k = 0; k < instruction.k; ++k) set_a(block, i, k, code);
    }
  }
}
void Image::fill_b(std::uint64_t code) {
  for (int block = 0; block < instruction.blocks; ++block) {
    for (int j = 0; j < instruction.n; ++j) {
      for (int k = 0; k < instruction.k; ++k) set_b(block, k, j, code);
    }
  }
}
void Image::fill_c(std::uint64_t bits) {
  for (int block = 0; block < instruction.blocks; ++block) {
    for (int i = 0; i < instruction.m; ++i) {
      for (int j = 0; j < instruction.n; ++j) set_c(block, i, j, bits);
    }
  }
}

namespace {
void put_scale(std::vector<std::uint32_t>& scales, int lane, std::uint32_t code, int byte) {
  scales.resize(64, 0x7f7f7f7f);
  std::uint32_t& dword = scales.at(static_cast<std::size_t>(lane));
  dword = (dword & ~(0xffU << (8 * byte))) | code << (8 * byte);
}
}  // namespace

// Manual 7.2.1: lane i + 16q or i + 32q.
void Image::set_scale_a(int i, int q, std::uint32_t code, int byte) {
  put_scale(scale_a, i + instruction.m * q, code, byte);
}
void Image::set_scale_b(int j, int q, std::uint32_t code, int byte) {
  put_scale(scale_b, j + instruction.n * q, code, byte);
}
void Image::unit_scales() {
  scale_a.assign(64, 0x7f7f7f7f);
  scale_b.assign(64, 0x7f7f7f7f);
}

void Image::randomise(std::mt19937_64& random) {
  for (std::vector<std::uint32_t>* operand : {&a, &b, &c}) {
    for (std::uint32_t& dword : *operand) dword = static_cast<std::uint32_t>(random());
  }
}

std::string Image::run(const MatrixUnit& unit) {
  MatrixOperands operands{a, b, c, scale_a, scale_b, scale_byte_a, scale_byte_b};
  return unit.execute({instruction.opcode, cbsz, abid, blgp, mode_round, mode_denorm, clamp_overflow}, operands, d_);
}

AdderRules sequential_rules() {
  AdderRules rules;
  rules.accumulate = Accumulate::kFmaChain;
  return rules;
}
AdderRules exact_rules(int step) {
  AdderRules rules;
  rules.accumulate = Accumulate::kExactSum;
  rules.step = step;
  return rules;
}
AdderRules aligned_rules(int step) {
  AdderRules rules;
  rules.step = step;
  return rules;
}
AdderRules grouped_rules(int step) {
  AdderRules rules = aligned_rules(step);
  rules.groups = 2;
  rules.drop_c_below = 25;
  rules.product_overflow_is_infinity = false;
  return rules;
}

std::shared_ptr<MatrixConfig> config_of(const AdderRules& rules) {
  auto config = std::make_shared<MatrixConfig>();
  for (auto& variants : config->rules) variants.fill(rules);
  for (const std::size_t opcode : {110U, 111U}) {
    for (AdderRules& f64 : config->rules[opcode]) f64.nan_bits = 0x7ff8000000000000;
  }
  return config;
}

std::shared_ptr<MatrixConfig> candidate_config() {
  auto config = config_of(sequential_rules());
  for (const Instruction& in : plain_instructions()) {
    auto& variants = config->rules[static_cast<std::size_t>(in.opcode)];
    if (in.integer()) variants[0].accumulate = Accumulate::kInteger;
    if (in.a.bits() == 16) variants[0] = aligned_rules(in.opcode < 60 || in.opcode == 84 || in.opcode == 85 ? 16 : 8);
    if (in.a.bits() == 8 && !in.integer()) variants[0] = grouped_rules(16);
  }
  config->rules[45] = config->rules[46] = {aligned_rules(32), aligned_rules(64)};
  return config;
}

}  // namespace mfma::gfx950::testing
