// FLAT, GLOBAL and SCRATCH loads and stores. CDNA4 ISA manual, chapter 10 and section 12.15.
//
// A FLAT address is LDS or private memory when it lies in an aperture, else global. Private memory is kept by dword
// and lane, so that an access of all lanes at one offset, which is what -O0 code does, moves whole rows.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {
namespace {

constexpr std::size_t kMaxBytes = 16;
constexpr std::uint64_t kHighMask = 0xffff'ffff'0000'0000;

using Addresses = std::array<std::uint64_t, kLanes>;

std::uint64_t immediate(const Instruction& in) { return static_cast<std::uint64_t>(std::int64_t{in.immediate}); }

// FLAT and GLOBAL: a 64-bit VGPR address, or an SGPR base with a 32-bit VGPR offset. The instruction's offset is added.
void flat_addresses(Wavefront& w, const Instruction& in, const Operand& address, const Operand* base, Addresses& out) {
  const Row* rows = w.rows(address);
  if (address.registers == 2) {
    const std::uint64_t offset = immediate(in);
    for (unsigned l = 0; l < kLanes; ++l) out[l] = (rows[0][l] | std::uint64_t{rows[1][l]} << 32) + offset;
    return;
  }
  const std::uint64_t start = read_scalar64(w, in, *base) + immediate(in);
  for (unsigned l = 0; l < kLanes; ++l) out[l] = start + rows[0][l];
}

// SCRATCH: 32-bit offsets from VGPR, SGPR and instruction, in the private aperture.
void scratch_addresses(Wavefront& w, const Instruction& in, const Operand& address, const Operand& base,
                       Addresses& out) {
  std::uint32_t start = static_cast<std::uint32_t>(in.immediate);
  if (base.kind == OperandKind::kScalar) start += read_scalar32(w, in, base);
  out.fill(kPrivateAperture + start);
  if (address.kind != OperandKind::kVector) return;
  const Row& row = *w.rows(address);
  for (unsigned l = 0; l < kLanes; ++l) out[l] = kPrivateAperture + static_cast<std::uint32_t>(start + row[l]);
}

void addresses_of(Wavefront& w, const Instruction& in, unsigned first, Addresses& out) {
  const Operand& address = in.operands[first];
  const Operand* base = in.operand_count == 3 ? &in.operands[2] : nullptr;
  if (in.encoding == Encoding::kScratch) return scratch_addresses(w, in, address, *base, out);
  flat_addresses(w, in, address, base, out);
}

bool in_aperture(std::uint64_t address, std::uint64_t aperture) { return (address & kHighMask) == aperture; }

Flow fault(Wavefront& w, const char* verb, std::size_t bytes, std::uint64_t address, unsigned lane) {
  const char* where = in_aperture(address, kPrivateAperture)  ? "outside the lane's private memory"
                      : in_aperture(address, kSharedAperture) ? "outside the workgroup's LDS"
                                                              : "outside every allocation";
  return w.stop(Stop::kMemoryFault, fmt::format("lane {} {} {} bytes at {:#x}, {}", lane, verb, bytes, address, where));
}

bool private_range_ok(const Wavefront& w, std::uint32_t offset, std::size_t bytes) {
  return bytes <= w.private_bytes && offset <= w.private_bytes - bytes;
}

// Moves `bytes` between a lane's private memory at `offset` and `data`.
template <bool Store>
void private_bytes(Wavefront& w, unsigned lane, std::uint32_t offset, std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    std::uint32_t& dword = w.private_memory[(offset + i) / 4][lane];
    const unsigned shift = static_cast<unsigned>((offset + i) % 4 * 8);
    if constexpr (Store) {
      dword = (dword & ~(0xffu << shift)) | std::to_integer<std::uint32_t>(data[i]) << shift;
    } else {
      data[i] = static_cast<std::byte>(dword >> shift & 0xff);
    }
  }
}

// One lane's access of `bytes` bytes. False: a fault.
template <bool Store>
bool access(Wavefront& w, unsigned lane, std::uint64_t address, std::byte* data, std::size_t bytes, bool is_flat) {
  if (in_aperture(address, kPrivateAperture)) {
    const auto offset = static_cast<std::uint32_t>(address);
    if (!private_range_ok(w, offset, bytes)) return false;
    private_bytes<Store>(w, lane, offset, data, bytes);
    return true;
  }
  if (is_flat && in_aperture(address, kSharedAperture)) {
    const std::uint64_t offset = address - kSharedAperture;
    if (bytes > w.lds.size() || offset > w.lds.size() - bytes) return false;
    if constexpr (Store)
      std::memcpy(w.lds.data() + offset, data, bytes);
    else
      std::memcpy(data, w.lds.data() + offset, bytes);
    return true;
  }
  if constexpr (Store) {
    std::byte* target = w.memory->find(address, bytes);
    if (target == nullptr) return false;
    std::memcpy(target, data, bytes);
  } else {
    const std::byte* source = w.memory->find_readable(address, bytes);
    if (source == nullptr) return false;
    std::memcpy(data, source, bytes);
  }
  return true;
}

// All lanes at one aligned private offset: the row of that dword, or null.
Row* uniform_private(Wavefront& w, const Instruction& in, const Addresses& addresses, std::size_t bytes) {
  const std::uint64_t first = addresses[0];
  if (in.encoding == Encoding::kGlobal) return nullptr;
  if (!in_aperture(first, kPrivateAperture) || first % 4 != 0 || w.exec() != kAllLanes) return nullptr;
  std::uint64_t differences = 0;
  for (unsigned l = 0; l < kLanes; ++l) differences |= addresses[l] ^ first;
  const auto offset = static_cast<std::uint32_t>(first);
  if (differences != 0 || !private_range_ok(w, offset, bytes)) return nullptr;
  return &w.private_memory[offset / 4];
}

bool may_use_aperture(const Instruction& in) { return in.encoding != Encoding::kGlobal; }

Flow aperture_in_global(Wavefront& w, std::uint64_t address, unsigned lane) {
  return w.stop(
      Stop::kMemoryFault,
      fmt::format("lane {}: a GLOBAL access at {:#x}, in an aperture that only FLAT may reach", lane, address));
}

template <bool Store, class Prepare, class Done>
Flow each_lane(Wavefront& w, const Instruction& in, const Addresses& addresses, std::size_t bytes, Prepare&& prepare,
               Done&& done) {
  const std::uint64_t exec = w.exec();
  const bool flat = may_use_aperture(in);
  std::array<std::byte, kMaxBytes> data;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const std::uint64_t address = addresses[lane];
    if (!flat && (in_aperture(address, kPrivateAperture) || in_aperture(address, kSharedAperture))) {
      return aperture_in_global(w, address, lane);
    }
    prepare(lane, data);
    if (!access<Store>(w, lane, address, data.data(), bytes, flat)) {
      return fault(w, Store ? "writes" : "reads", bytes, address, lane);
    }
    done(lane, data);
  }
  return Flow::kNext;
}

constexpr auto kNothing = [](unsigned, auto&) {};

Flow load_dwords(Wavefront& w, const Instruction& in) {
  Addresses addresses;
  addresses_of(w, in, 1, addresses);
  const std::size_t count = in.operands[0].registers, bytes = count * 4;
  Row* out = w.rows(in.operands[0]);
  if (const Row* rows = uniform_private(w, in, addresses, bytes)) {
    std::memcpy(out, rows, count * sizeof(Row));
    return Flow::kNext;
  }
  return each_lane<false>(w, in, addresses, bytes, kNothing, [&](unsigned lane, const auto& data) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&out[i][lane], data.data() + i * 4, 4);
  });
}

Flow store_dwords(Wavefront& w, const Instruction& in) {
  Addresses addresses;
  addresses_of(w, in, 0, addresses);
  const std::size_t count = in.operands[1].registers, bytes = count * 4;
  const Row* source = w.rows(in.operands[1]);
  if (Row* rows = uniform_private(w, in, addresses, bytes)) {
    std::memcpy(rows, source, count * sizeof(Row));
    return Flow::kNext;
  }
  return each_lane<true>(
      w, in, addresses, bytes,
      [&](unsigned lane, auto& data) {
        for (std::size_t i = 0; i < count; ++i) std::memcpy(data.data() + i * 4, &source[i][lane], 4);
      },
      kNothing);
}

enum class Half { kWhole, kLow, kHigh };

// Loads of less than a dword. D16 forms keep the other half of the register.
template <class T, Half Where>
Flow load_small(Wavefront& w, const Instruction& in) {
  Addresses addresses;
  addresses_of(w, in, 1, addresses);
  Row& out = *w.rows(in.operands[0]);
  return each_lane<false>(w, in, addresses, sizeof(T), kNothing, [&](unsigned lane, const auto& data) {
    T value;
    std::memcpy(&value, data.data(), sizeof value);
    const auto wide = static_cast<std::uint32_t>(std::int32_t{value});
    if constexpr (Where == Half::kWhole)
      out[lane] = wide;
    else if constexpr (Where == Half::kLow)
      out[lane] = (out[lane] & 0xffff0000) | (wide & 0xffff);
    else
      out[lane] = (out[lane] & 0xffff) | wide << 16;
  });
}

template <class T, Half Where>
Flow store_small(Wavefront& w, const Instruction& in) {
  Addresses addresses;
  addresses_of(w, in, 0, addresses);
  const Row& source = *w.rows(in.operands[1]);
  return each_lane<true>(
      w, in, addresses, sizeof(T),
      [&](unsigned lane, auto& data) {
        const T value = static_cast<T>(source[lane] >> (Where == Half::kHigh ? 16 : 0));
        std::memcpy(data.data(), &value, sizeof value);
      },
      kNothing);
}

using U8 = std::uint8_t;
using S8 = std::int8_t;
using U16 = std::uint16_t;
using S16 = std::int16_t;

#define MFMA_SEGMENT(prefix)                                                                                          \
  {prefix "load_ubyte", load_small<U8, Half::kWhole>}, {prefix "load_sbyte", load_small<S8, Half::kWhole>},           \
      {prefix "load_ushort", load_small<U16, Half::kWhole>}, {prefix "load_sshort", load_small<S16, Half::kWhole>},   \
      {prefix "load_dword", load_dwords}, {prefix "load_dwordx2", load_dwords}, {prefix "load_dwordx3", load_dwords}, \
      {prefix "load_dwordx4", load_dwords}, {prefix "store_byte", store_small<U8, Half::kWhole>},                     \
      {prefix "store_byte_d16_hi", store_small<U8, Half::kHigh>},                                                     \
      {prefix "store_short", store_small<U16, Half::kWhole>},                                                         \
      {prefix "store_short_d16_hi", store_small<U16, Half::kHigh>}, {prefix "store_dword", store_dwords},             \
      {prefix "store_dwordx2", store_dwords}, {prefix "store_dwordx3", store_dwords},                                 \
      {prefix "store_dwordx4", store_dwords}, {prefix "load_ubyte_d16", load_small<U8, Half::kLow>},                  \
      {prefix "load_ubyte_d16_hi", load_small<U8, Half::kHigh>},                                                      \
      {prefix "load_sbyte_d16", load_small<S8, Half::kLow>},                                                          \
      {prefix "load_sbyte_d16_hi", load_small<S8, Half::kHigh>},                                                      \
      {prefix "load_short_d16", load_small<U16, Half::kLow>}, {                                                       \
    prefix "load_short_d16_hi", load_small<U16, Half::kHigh>                                                          \
  }

constexpr HandlerRow kRows[] = {MFMA_SEGMENT("flat_"), MFMA_SEGMENT("global_"), MFMA_SEGMENT("scratch_")};

#undef MFMA_SEGMENT

}  // namespace

std::span<const HandlerRow> memory_handlers() { return kRows; }

}  // namespace mfma::gfx950
