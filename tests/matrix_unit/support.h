// What the tests of the matrix unit share: instructions named as the manual names them, the manual's forward layout
// formulas (7.1.4, 7.1.5.1) to fill register images with, and rules of adders. Nothing here uses the unit's own
// tables or maps.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gfx950/matrix/matrix_unit.h"

namespace mfma::gfx950::testing {

// A format by its fields; `kind` settles what the top exponent means.
struct Format {
  enum class Kind { kIeee, kNanOnly, kNoSpecials, kInteger };
  std::string_view name;
  int exponent_bits, fraction_bits, bias;
  Kind kind;
  std::uint64_t one;
  int bits() const { return kind == Kind::kInteger ? 8 : 1 + exponent_bits + fraction_bits; }
  int least_exponent() const { return 1 - bias; }
};
inline constexpr Format kF16{"f16", 5, 10, 15, Format::Kind::kIeee, 0x3c00};
inline constexpr Format kBf16{"bf16", 8, 7, 127, Format::Kind::kIeee, 0x3f80};
inline constexpr Format kF32{"f32", 8, 23, 127, Format::Kind::kIeee, 0x3f800000};
inline constexpr Format kF64{"f64", 11, 52, 1023, Format::Kind::kIeee, 0x3ff0000000000000};
inline constexpr Format kFp8{"fp8", 4, 3, 7, Format::Kind::kNanOnly, 0x38};
inline constexpr Format kBf8{"bf8", 5, 2, 15, Format::Kind::kIeee, 0x3c};
inline constexpr Format kFp6{"fp6", 2, 3, 1, Format::Kind::kNoSpecials, 0x08};
inline constexpr Format kBf6{"bf6", 3, 2, 3, Format::Kind::kNoSpecials, 0x0c};
inline constexpr Format kFp4{"fp4", 2, 1, 1, Format::Kind::kNoSpecials, 0x2};
inline constexpr Format kI8{"i8", 0, 7, 0, Format::Kind::kInteger, 1};
// By format code of f8f6f4.
const Format& small_format(int code);

struct Instruction {
  int opcode = 0;
  std::string name;  // as in table 90, lower case, without v_mfma_
  int m = 0, n = 0, k = 0, blocks = 1;
  Format a = kF32, b = kF32;
  int cbsz = 0, blgp = 0;  // the format codes of f8f6f4, else 0
  bool f8f6f4 = false;
  int passes = 0;

  bool f64() const { return a.bits() == 64; }
  bool integer() const { return a.kind == Format::Kind::kInteger; }
  int items() const { return m * k * blocks / 64; }  // per lane of A and of B
  int d_items() const { return m * n * blocks / 64; }
  int d_dwords() const { return f64() ? 2 : 1; }
  std::uint64_t one_in_d() const { return f64() ? kF64.one : integer() ? 1 : kF32.one; }
};

// The 36 opcodes that settle their formats, in the order of table 90.
const std::vector<Instruction>& plain_instructions();
Instruction instruction(int opcode);  // of the 36
Instruction f8f6f4(int opcode, int format_a, int format_b);

// Operands and result of one execution, addressed by matrix element.
class Image {
 public:
  explicit Image(const Instruction& instruction);

  void set_a(int block, int i, int k, std::uint64_t code);
  void set_b(int block, int k, int j, std::uint64_t code);
  void set_c(int block, int i, int j, std::uint64_t bits);
  std::uint64_t get_a(int block, int i, int k) const;
  std::uint64_t get_b(int block, int k, int j) const;
  std::uint64_t get_c(int block, int i, int j) const;
  std::uint64_t get_d(int block, int i, int j) const;
  void fill_a(std::uint64_t code);
  void fill_b(std::uint64_t code);
  void fill_c(std::uint64_t bits);
  // Row i, block q of 32 k: byte `byte` of the lane that holds it.
  void set_scale_a(int i, int q, std::uint32_t code, int byte = 0);
  void set_scale_b(int j, int q, std::uint32_t code, int byte = 0);
  void unit_scales();  // 127 in every byte of every lane, for A and B
  void randomise(std::mt19937_64& random);

  // Fills D; empty or why it was refused.
  std::string run(const MatrixUnit& unit);
  std::vector<std::uint32_t>& d() { return d_; }

  Instruction instruction;
  int cbsz, abid = 0, blgp;
  int mode_round = 0, mode_denorm = 0xf;
  bool clamp_overflow = false;
  std::vector<std::uint32_t> a, b, c;  // [register][lane]
  std::vector<std::uint32_t> scale_a, scale_b;
  int scale_byte_a = 0, scale_byte_b = 0;

 private:
  std::vector<std::uint32_t> d_;
};

// The candidate profile's rules for every opcode (design: TR, GTR, FMA chains, integers).
std::shared_ptr<MatrixConfig> candidate_config();
// One rule for every opcode but the integer ones; nan_bits of f64 are set to 7ff8000000000000.
std::shared_ptr<MatrixConfig> config_of(const AdderRules& rules);

AdderRules sequential_rules();  // FMA chain
AdderRules exact_rules(int step);
AdderRules aligned_rules(int step);  // TR
AdderRules grouped_rules(int step);  // GTR: even and odd groups, small C dropped

}  // namespace mfma::gfx950::testing
