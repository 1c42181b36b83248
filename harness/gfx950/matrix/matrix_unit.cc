#include "harness/gfx950/matrix/matrix_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/gfx950/matrix/adders.h"
#include "harness/gfx950/matrix/faults.h"
#include "harness/gfx950/matrix/operands.h"

namespace mfma::gfx950 {
namespace {

using Kind = MatrixFault::Kind;

// What one execution needs beside its arguments. Too large for a small stack, so each thread keeps one.
struct Scratch {
  OperandPlane a, b;
  alignas(64) std::array<double, kMaxElements> finite_b;  // B with infinities and NaNs replaced by zero
  std::array<std::uint64_t, kMaxElements> c, d;           // bits by element number
  std::array<std::uint32_t, 16 * kLanes> spoiled_a;       // registers of A under a fault
};

Scratch& scratch_of_thread() {
  thread_local const std::unique_ptr<Scratch> scratch = std::make_unique<Scratch>();
  return *scratch;
}

bool is_nan(std::uint64_t bits, bool f64) {
  const ResultFormat& format = f64 ? kF64Result : kF32Result;
  return (bits & ((std::uint64_t{1} << format.sign_bit) - 1)) > format.infinity;
}

std::string check_size(const char* mnemonic, const char* operand, std::size_t dwords, int registers) {
  const std::size_t wanted = static_cast<std::size_t>(registers) * kLanes;
  if (dwords == wanted) return {};
  return fmt::format("{}: {} holds {} dwords, {} registers of 64 lanes are {}", mnemonic, operand, dwords, registers,
                     wanted);
}

std::string check_scale(const MatrixOperation& operation, const char* operand, std::span<const std::uint32_t> scales,
                        int byte) {
  if (scales.empty()) return {};
  if (!operation.small_formats) return fmt::format("{}: takes no scales, {} is given", operation.mnemonic, operand);
  if (scales.size() != kLanes) {
    return fmt::format("{}: {} holds {} dwords, one for each of 64 lanes is wanted", operation.mnemonic, operand,
                       scales.size());
  }
  if (byte < 0 || byte > 3) return fmt::format("{}: byte {} of {} does not exist", operation.mnemonic, byte, operand);
  return {};
}

std::string check_operands(const MatrixOperation& operation, const MatrixOperands& operands, std::size_t d_dwords) {
  const auto first_of = [](std::initializer_list<std::string> complaints) {
    for (const std::string& complaint : complaints) {
      if (!complaint.empty()) return complaint;
    }
    return std::string();
  };
  return first_of({check_size(operation.mnemonic, "A", operands.a.size(), operation.a_registers()),
                   check_size(operation.mnemonic, "B", operands.b.size(), operation.b_registers()),
                   check_size(operation.mnemonic, "C", operands.c.size(), operation.c_registers()),
                   check_size(operation.mnemonic, "D", d_dwords, operation.c_registers()),
                   check_scale(operation, "the scale of A", operands.scale_a, operands.scale_byte_a),
                   check_scale(operation, "the scale of B", operands.scale_b, operands.scale_byte_b)});
}

bool same_registers(const MatrixOperation& x, const MatrixOperation& y) {
  return x.a_registers() == y.a_registers() && x.b_registers() == y.b_registers() && x.c_registers() == y.c_registers();
}

// Swaps what the fault swaps in where a result goes.
std::size_t spoiled_place(const MatrixFault& fault, Kind kind, const MatrixShape& shape, std::size_t reg,
                          std::size_t lane, std::span<const std::uint16_t> elements) {
  std::size_t element = elements[reg * kLanes + lane];
  if (kind == Kind::kLayoutEntry && reg == 0) {
    const auto chosen = static_cast<std::size_t>(fault.value & (kLanes - 1));
    const std::size_t neighbour = (chosen + 1) % kLanes;
    if (lane == chosen) element = elements[neighbour];
    if (lane == neighbour) element = elements[chosen];
  }
  if (kind == Kind::kTransposedResult) {
    const auto n = static_cast<std::size_t>(shape.n);
    element = element / (n * n) * (n * n) + element % n * n + element / n % n;
  }
  return element;
}

}  // namespace

struct MatrixUnit::State {
  std::shared_ptr<const MatrixConfig> config;
  MatrixFault fault;
  std::array<std::array<Adder, 2>, 128> adders;

  Kind fault_of(int opcode) const { return fault.opcode == -1 || fault.opcode == opcode ? fault.kind : Kind::kNone; }
};

namespace {

// One execution: the operation, its operands, and the fault that applies to it.
class Execution {
 public:
  Execution(const MatrixConfig& config, const MatrixFault& fault, Kind kind, const Adder& adder,
            const MatrixOperation& operation, const MatrixControls& controls, const MatrixOperands& operands,
            Scratch& scratch)
      : config_(config),
        fault_(fault),
        kind_(kind),
        adder_(adder),
        operation_(operation),
        shape_(operation.shape),
        controls_(controls),
        operands_(operands),
        scratch_(scratch),
        registers_a_(operands.a) {}

  void run(std::span<std::uint32_t> d) {
    if (kind_ == Kind::kSwapRegisterPair) swap_register_pair();
    read_c();
    if (operation_.is_integer()) {
      read_integers(reading_of_a(), scratch_.a);
      read_integers(reading_of_b(), scratch_.b);
      add_integers();
    } else {
      read_operand(reading_of_a(), scratch_.a);
      read_operand(reading_of_b(), scratch_.b);
      add_rows();
    }
    write_d(d);
  }

 private:
  bool f64() const { return operation_.is_f64(); }
  bool negates(int flag) const {
    if (!f64() || kind_ == Kind::kIgnoreBlgp) return false;
    if (kind_ == Kind::kNegateSwapped && flag != 1) flag = 2 - flag;
    return (controls_.blgp >> flag & 1) != 0;
  }

  void swap_register_pair() {
    std::copy(operands_.a.begin(), operands_.a.end(), scratch_.spoiled_a.begin());
    if (operation_.a_registers() > 1) {
      std::swap_ranges(scratch_.spoiled_a.begin(), scratch_.spoiled_a.begin() + kLanes,
                       scratch_.spoiled_a.begin() + kLanes);
    }
    registers_a_ = std::span(scratch_.spoiled_a).first(operands_.a.size());
  }

  LaneMap lanes_of_a() const {
    if (f64() || operation_.small_formats || kind_ == Kind::kIgnoreCbsz) return straight_lanes();
    const int abid = kind_ == Kind::kIgnoreAbid ? 0 : controls_.abid;
    const bool whole_wave = config_.whole_wave_broadcast != (kind_ == Kind::kWholeWaveBroadcast);
    return broadcast_lanes(shape_, controls_.cbsz, abid, whole_wave);
  }

  LaneMap lanes_of_b() const {
    if (f64() || operation_.small_formats || kind_ == Kind::kIgnoreBlgp) return straight_lanes();
    return pattern_lanes(controls_.blgp, kind_ == Kind::kBlgpRotateRight);
  }

  OperandReading reading_of_both() const {
    OperandReading reading;
    reading.operation = &operation_;
    reading.normalise_subnormals = adder_.rules.normalise_subnormals;
    reading.zeros_have_exponent = adder_.rules.zero_products_raise_exponent;
    reading.keep_scale_apart = adder_.rules.accumulate == Accumulate::kBlockSums && adder_.rules.scale_in_block_sum;
    const bool flushes = kind_ == Kind::kDenormByMode && (controls_.mode_denorm & 1) == 0;
    reading.fault = flushes ? Kind::kDropSubnormalInputs : kind_;
    reading.fault_value = fault_.value;
    return reading;
  }

  OperandReading reading_of_a() const {
    OperandReading reading = reading_of_both();
    reading.format = operation_.a;
    reading.registers = registers_a_;
    reading.lanes = lanes_of_a();
    reading.negate = negates(0);
    if (kind_ != Kind::kIgnoreScale) reading.scales = operands_.scale_a;
    reading.scale_byte = kind_ == Kind::kSwapScaleBytes ? operands_.scale_byte_b : operands_.scale_byte_a;
    return reading;
  }

  OperandReading reading_of_b() const {
    OperandReading reading = reading_of_both();
    reading.is_b = true;
    reading.format = operation_.b;
    reading.registers = operands_.b;
    reading.lanes = lanes_of_b();
    reading.negate = negates(1);
    if (kind_ != Kind::kIgnoreScale) reading.scales = operands_.scale_b;
    reading.scale_byte = kind_ == Kind::kSwapScaleBytes ? operands_.scale_byte_a : operands_.scale_byte_b;
    return reading;
  }

  void read_c() {
    const std::span<const std::uint16_t> elements = d_elements(operation_);
    const std::uint64_t flip = negates(2) ? std::uint64_t{1} << 63 : 0;
    for (std::size_t n = 0; n < elements.size(); ++n) {
      std::uint64_t bits = operands_.c[n];
      if (f64()) {
        const std::size_t low = n / kLanes * 2 * kLanes + n % kLanes;
        bits = (operands_.c[low] | static_cast<std::uint64_t>(operands_.c[low + kLanes]) << 32) ^ flip;
      }
      scratch_.c[elements[n]] = kind_ == Kind::kMissingC ? 0 : bits;
    }
  }

  void write_d(std::span<std::uint32_t> d) const {
    const std::span<const std::uint16_t> elements = d_elements(operation_);
    for (std::size_t n = 0; n < elements.size(); ++n) {
      std::size_t element = elements[n];
      if (kind_ != Kind::kNone) element = spoiled_place(fault_, kind_, shape_, n / kLanes, n % kLanes, elements);
      std::uint64_t bits = scratch_.d[element];
      if (kind_ != Kind::kNone && !operation_.is_integer()) bits = spoiled_result(bits, f64(), kind_);
      if (f64()) {
        const std::size_t low = n / kLanes * 2 * kLanes + n % kLanes;
        d[low] = static_cast<std::uint32_t>(bits);
        d[low + kLanes] = static_cast<std::uint32_t>(bits >> 32);
      } else {
        d[n] = static_cast<std::uint32_t>(bits);
      }
    }
  }

  RowTask row_task(int block, int i) {
    const std::size_t start = static_cast<std::size_t>((block * shape_.m + i) * shape_.n);
    return {&shape_, &scratch_.a, &scratch_.b, block, i, scratch_.c.data() + start, scratch_.d.data() + start};
  }

  template <class DoRow>
  void each_row(const DoRow& do_row) {
    for (int block = 0; block < shape_.blocks; ++block) {
      for (int i = 0; i < shape_.m; ++i) do_row(row_task(block, i));
    }
  }

  // Sums modulo 2^32, as unsigned numbers wrap.
  void add_integers() {
    each_row([this](const RowTask& row) {
      const auto columns = static_cast<std::size_t>(shape_.n);
      std::array<std::int32_t, 32> sums{};  // 128 products of 14 bits and a sign
      for (int k = 0; k < shape_.k; ++k) {
        const std::int32_t a = row.a->integer[row.a_start() + static_cast<std::size_t>(k)];
        const std::int32_t* b = row.b->integer.data() + row.b_start() + static_cast<std::size_t>(k) * columns;
        for (std::size_t j = 0; j < columns; ++j) sums[j] += a * b[j];
      }
      for (std::size_t j = 0; j < columns; ++j) {
        const auto c = static_cast<std::uint32_t>(row.c[j]);
        row.d[j] =
            kind_ == Kind::kSaturateI32 || clamps() ? clamped_sum(c, sums[j]) : c + static_cast<std::uint32_t>(sums[j]);
      }
    });
  }

  static std::uint32_t clamped_sum(std::uint32_t c, std::int32_t sum) {
    const std::int64_t exact = std::int64_t{static_cast<std::int32_t>(c)} + sum;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(exact, INT32_MIN, INT32_MAX));
  }

  void add_rows() {
    const Accumulate accumulate = adder_.rules.accumulate;
    if (accumulate == Accumulate::kAlignedSum && adder_.fits_window && !f64()) {
      const double* b = finite_b();
      each_row([this, b](const RowTask& row) { aligned_or_wide_row(row, b); });
    } else if (accumulate == Accumulate::kAlignedSum || accumulate == Accumulate::kExactSum) {
      each_row([this](const RowTask& row) { wide_columns(row, ~std::uint64_t{0}); });
    } else {
      each_row([this](const RowTask& row) { f64() ? chain_row_f64(row, adder_) : chain_row_f32(row, adder_); });
    }
    each_row([this](const RowTask& row) { settle_nans(row); });
    if (clamps() && !f64()) each_row([this](const RowTask& row) { clamp_overflows(row); });
  }

  bool clamps() const { return controls_.clamp_overflow && kind_ != Kind::kOverflowNotClamped; }

  // An infinity that no operand brought is an overflow.
  void clamp_overflows(const RowTask& row) const {
    const auto infinite = [](std::uint64_t bits) { return (bits & 0x7fffffff) == kF32Result.infinity; };
    for (int j = 0; j < shape_.n; ++j) {
      const int flags = row.a->flags[row.a_row()] | row.b->flags[row.b_column(j)];
      const bool operand = (flags & kHasInfinity) != 0 || infinite(row.c[j]);
      if (infinite(row.d[j]) && !operand) row.d[j] -= 1;
    }
  }

  const double* finite_b() {
    const auto columns = static_cast<std::size_t>(shape_.blocks * shape_.n);
    const bool all_finite =
        std::all_of(scratch_.b.flags.begin(), scratch_.b.flags.begin() + static_cast<std::ptrdiff_t>(columns),
                    [](std::uint8_t flags) { return flags == kFinite; });
    if (all_finite) return scratch_.b.value.data();
    const auto elements = columns * static_cast<std::size_t>(shape_.k);
    for (std::size_t n = 0; n < elements; ++n) {
      const double value = scratch_.b.value[n];
      scratch_.finite_b[n] = std::isfinite(value) ? value : 0.0;
    }
    return scratch_.finite_b.data();
  }

  void aligned_or_wide_row(const RowTask& row, const double* b) {
    if (row.a->flags[row.a_row()] != kFinite) return wide_columns(row, ~std::uint64_t{0});
    std::uint64_t wide = aligned_row(row, b, adder_);
    for (int j = 0; j < shape_.n; ++j) {
      if (row.b->flags[row.b_column(j)] != kFinite) wide |= std::uint64_t{1} << j;
    }
    if (wide != 0) wide_columns(row, wide);
  }

  void wide_columns(const RowTask& row, std::uint64_t columns) {
    const std::uint8_t row_flags = row.a->flags[row.a_row()];
    for (int j = 0; j < shape_.n; ++j) {
      const int flags = row_flags | row.b->flags[row.b_column(j)];
      const bool nan_anyway = (flags & (kHasNan | kHasNanScale)) != 0 || is_nan(row.c[j], f64());
      if (nan_anyway || (columns >> j & 1) == 0) continue;
      row.d[j] = wide_element(element_task(row, j), row.c[j], adder_, f64());
    }
  }

  // Any NaN among the operands of an element makes it a NaN; here NaNs get the bits that the rules give them.
  void settle_nans(const RowTask& row) {
    const std::uint8_t row_flags = row.a->flags[row.a_row()];
    for (int j = 0; j < shape_.n; ++j) {
      const std::uint8_t flags = row_flags | row.b->flags[row.b_column(j)];
      const bool nan_operand = (flags & kHasNan) != 0 || is_nan(row.c[j], f64());
      if (nan_operand || (flags & kHasNanScale) != 0 || is_nan(row.d[j], f64())) {
        row.d[j] = nan_operand && adder_.rules.nan_propagates ? passed_on(row, j) : generated_nan();
      }
    }
  }

  std::uint64_t generated_nan() const {
    const std::uint64_t sign = std::uint64_t{1} << (f64() ? 63 : 31);
    return adder_.rules.nan_bits ^ (kind_ == Kind::kNanSign ? sign : 0);
  }

  std::uint64_t passed_on(const RowTask& row, int j) const {
    for (const char operand : adder_.rules.nan_order) {
      if (operand == 'c' && is_nan(row.c[j], f64())) return row.c[j] | std::uint64_t{1} << (f64() ? 51 : 22);
      for (std::size_t k = 0; k < static_cast<std::size_t>(shape_.k) && operand != 'c'; ++k) {
        const std::size_t n =
            operand == 'a' ? row.a_start() + k
                           : row.b_start() + k * static_cast<std::size_t>(shape_.n) + static_cast<std::size_t>(j);
        const OperandPlane& plane = operand == 'a' ? *row.a : *row.b;
        if (std::isnan(plane.value[n]) && plane.nan_bits[n] != kNoNanBits) return plane.nan_bits[n];
      }
    }
    return generated_nan();
  }

  const MatrixConfig& config_;
  const MatrixFault& fault_;
  const Kind kind_;
  const Adder& adder_;
  const MatrixOperation& operation_;
  const MatrixShape& shape_;
  const MatrixControls& controls_;
  const MatrixOperands& operands_;
  Scratch& scratch_;
  std::span<const std::uint32_t> registers_a_;
};

}  // namespace

MatrixUnit::MatrixUnit(std::shared_ptr<const MatrixConfig> config, MatrixFault fault)
    : state_(std::make_unique<State>()) {
  if (!config) config = std::make_shared<const MatrixConfig>();
  state_->config = std::move(config);
  state_->fault = fault;
  for (std::size_t opcode = 0; opcode < state_->adders.size(); ++opcode) {
    for (std::size_t variant = 0; variant < 2; ++variant) {
      state_->adders[opcode][variant] =
          spoiled_adder(state_->config->rules[opcode][variant], state_->fault_of(static_cast<int>(opcode)));
    }
  }
}

MatrixUnit::~MatrixUnit() = default;
MatrixUnit::MatrixUnit(MatrixUnit&&) noexcept = default;
MatrixUnit& MatrixUnit::operator=(MatrixUnit&&) noexcept = default;

std::string MatrixUnit::execute(const MatrixControls& controls, const MatrixOperands& operands,
                                std::span<std::uint32_t> d) const {
  if (std::string why = why_undefined(controls); !why.empty()) return why;
  MatrixOperation operation = matrix_operation(controls);
  if (std::string why = check_operands(operation, operands, d.size()); !why.empty()) return why;

  const Kind kind = state_->fault_of(controls.opcode);
  int adder_opcode = controls.opcode;
  if (kind == Kind::kOpcode || kind == Kind::kSwapFormatCodes) {
    MatrixControls spoiled = controls;
    if (kind == Kind::kOpcode) spoiled.opcode = state_->fault.value;
    if (kind == Kind::kSwapFormatCodes && operation.small_formats) std::swap(spoiled.cbsz, spoiled.blgp);
    const MatrixOperation other = matrix_operation(spoiled);
    if (!other.known() || !same_registers(operation, other)) {
      return fmt::format("{}: the planted fault '{}' needs an operation that reads and writes as many registers",
                         operation.mnemonic, name_of(kind));
    }
    operation = other;
    adder_opcode = spoiled.opcode;
  }
  const bool all_small = bits_of(operation.a) < 8 && bits_of(operation.b) < 8;
  const Adder& healthy = state_->adders[static_cast<std::size_t>(adder_opcode)][all_small ? 1 : 0];
  std::optional<Adder> rounding_by_mode;
  if (kind == Kind::kRoundByMode && controls.mode_round != 0) {
    rounding_by_mode = healthy;
    rounding_by_mode->result_rounding = RoundTo::kZero;
  }
  const Adder& adder = rounding_by_mode ? *rounding_by_mode : healthy;
  if (adder.rules.accumulate == Accumulate::kInteger && !operation.is_integer()) {
    return fmt::format("{}: the integer rule is configured for a floating-point form", operation.mnemonic);
  }
  Execution(*state_->config, state_->fault, kind, adder, operation, controls, operands, scratch_of_thread()).run(d);
  return {};
}

}  // namespace mfma::gfx950
