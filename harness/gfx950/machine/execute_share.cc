// LDS reads and writes. CDNA4 ISA manual, chapter 11 and section 12.12.
//
// The manual drops writes and returns zero beyond the allocation; here that is a memory fault, because a kernel that
// relies on it is wrong in a way that a conformance test wants to see.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "harness/gfx950/machine/handlers.h"
#include "harness/gfx950/machine/wavefront.h"

namespace mfma::gfx950 {
namespace {

std::byte* place(Wavefront& w, std::uint64_t offset, std::size_t bytes) {
  if (bytes > w.lds.size() || offset > w.lds.size() - bytes) return nullptr;
  return w.lds.data() + offset;
}

Flow fault(Wavefront& w, const char* verb, std::size_t bytes, std::uint64_t offset, unsigned lane) {
  return w.stop(Stop::kMemoryFault, fmt::format("lane {} {} {} bytes at LDS offset {:#x}, beyond the {} bytes it has",
                                                lane, verb, bytes, offset, w.lds.size()));
}

// Byte offsets of the one or two items an instruction names: OFFSET0 and OFFSET1 together are one byte offset, or each
// counts items, or items times 64.
template <unsigned Items, unsigned Scale>
std::uint64_t item_offset(const Instruction& in, unsigned item) {
  if constexpr (Items == 1) return static_cast<std::uint64_t>(in.immediate);
  return static_cast<std::uint64_t>(item == 0 ? in.immediate & 0xff : in.immediate >> 8) * Scale;
}

// Dwords per item, items, and bytes per unit of the two offsets.
template <unsigned Dwords, unsigned Items, unsigned Scale>
Flow read(Wavefront& w, const Instruction& in) {
  Row* out = w.rows(in.operands[0]);
  const Row address = *w.rows(in.operands[1]);  // a copy: the result may overwrite it
  const std::uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    for (unsigned item = 0; item < Items; ++item) {
      const std::uint64_t offset = address[lane] + item_offset<Items, Scale>(in, item);
      const std::byte* source = place(w, offset, Dwords * 4);
      if (source == nullptr) return fault(w, "reads", Dwords * 4, offset, lane);
      for (unsigned i = 0; i < Dwords; ++i) std::memcpy(&out[item * Dwords + i][lane], source + i * 4, 4);
    }
  }
  return Flow::kNext;
}

template <unsigned Dwords, unsigned Items, unsigned Scale>
Flow write(Wavefront& w, const Instruction& in) {
  const Row& address = *w.rows(in.operands[0]);
  const std::uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    for (unsigned item = 0; item < Items; ++item) {
      const Row* source = w.rows(in.operands[1 + item]);
      const std::uint64_t offset = address[lane] + item_offset<Items, Scale>(in, item);
      std::byte* target = place(w, offset, Dwords * 4);
      if (target == nullptr) return fault(w, "writes", Dwords * 4, offset, lane);
      for (unsigned i = 0; i < Dwords; ++i) std::memcpy(target + i * 4, &source[i][lane], 4);
    }
  }
  return Flow::kNext;
}

template <class T>
Flow read_small(Wavefront& w, const Instruction& in) {
  Row& out = *w.rows(in.operands[0]);
  const Row& address = *w.rows(in.operands[1]);
  const std::uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const std::uint64_t offset = address[lane] + item_offset<1, 1>(in, 0);
    const std::byte* source = place(w, offset, sizeof(T));
    if (source == nullptr) return fault(w, "reads", sizeof(T), offset, lane);
    T value;
    std::memcpy(&value, source, sizeof value);
    out[lane] = static_cast<std::uint32_t>(std::int32_t{value});
  }
  return Flow::kNext;
}

template <class T>
Flow write_small(Wavefront& w, const Instruction& in) {
  const Row& address = *w.rows(in.operands[0]);
  const Row& source = *w.rows(in.operands[1]);
  const std::uint64_t exec = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const std::uint64_t offset = address[lane] + item_offset<1, 1>(in, 0);
    std::byte* target = place(w, offset, sizeof(T));
    if (target == nullptr) return fault(w, "writes", sizeof(T), offset, lane);
    const T value = static_cast<T>(source[lane]);
    std::memcpy(target, &value, sizeof value);
  }
  return Flow::kNext;
}

constexpr HandlerRow kRows[] = {
    {"ds_nop", [](Wavefront&, const Instruction&) { return Flow::kNext; }},
    {"ds_read_b32", read<1, 1, 1>},
    {"ds_read_b64", read<2, 1, 1>},
    {"ds_read_b96", read<3, 1, 1>},
    {"ds_read_b128", read<4, 1, 1>},
    {"ds_read2_b32", read<1, 2, 4>},
    {"ds_read2_b64", read<2, 2, 8>},
    {"ds_read2st64_b32", read<1, 2, 256>},
    {"ds_read2st64_b64", read<2, 2, 512>},
    {"ds_read_u8", read_small<std::uint8_t>},
    {"ds_read_i8", read_small<std::int8_t>},
    {"ds_read_u16", read_small<std::uint16_t>},
    {"ds_read_i16", read_small<std::int16_t>},
    {"ds_write_b32", write<1, 1, 1>},
    {"ds_write_b64", write<2, 1, 1>},
    {"ds_write_b96", write<3, 1, 1>},
    {"ds_write_b128", write<4, 1, 1>},
    {"ds_write2_b32", write<1, 2, 4>},
    {"ds_write2_b64", write<2, 2, 8>},
    {"ds_write2st64_b32", write<1, 2, 256>},
    {"ds_write2st64_b64", write<2, 2, 512>},
    {"ds_write_b8", write_small<std::uint8_t>},
    {"ds_write_b16", write_small<std::uint16_t>},
};

}  // namespace

std::span<const HandlerRow> share_handlers() { return kRows; }

}  // namespace mfma::gfx950
