// Which part of a GPU runs a workgroup, and how the hardware registers HW_ID and XCC_ID tell it.
//
// Sources: the registers' layout in HIP's device header (HW_ID: WAVE_ID 3:0, SIMD_ID 5:4, CU_ID 11:8, SE_ID 14:13 on
// gfx940 and later; XCC_ID 3:0); an MI350X has 8 XCCs of 4 shader engines of 8 compute units in use, 4 SIMDs each.
#pragma once

#include <compare>
#include <cstdint>

namespace mfma::gfx950 {

struct Place {
  unsigned xcc = 0, se = 0, cu = 0, simd = 0;
  auto operator<=>(const Place&) const = default;
};

inline constexpr unsigned kXccs = 8, kShaderEngines = 4, kComputeUnits = 8, kSimds = 4;  // each in the one before
inline constexpr unsigned kPlaces = kXccs * kShaderEngines * kComputeUnits * kSimds;

inline constexpr unsigned kHwIdRegister = 4, kXccIdRegister = 20;

// Where the emulated device runs a workgroup: XCC first, as the hardware deals workgroups out to its XCCs in turn, then
// shader engine, compute unit and SIMD. kPlaces workgroups in a row fill the device.
constexpr Place place_of(std::uint32_t workgroup) {
  Place place;
  place.xcc = workgroup % kXccs;
  workgroup /= kXccs;
  place.se = workgroup % kShaderEngines;
  workgroup /= kShaderEngines;
  place.cu = workgroup % kComputeUnits;
  workgroup /= kComputeUnits;
  place.simd = workgroup % kSimds;
  return place;
}

constexpr std::uint32_t hw_id_of(const Place& place) { return place.simd << 4 | place.cu << 8 | place.se << 13; }
constexpr std::uint32_t xcc_id_of(const Place& place) { return place.xcc; }

// What the two registers say.
constexpr Place place_from(std::uint32_t hw_id, std::uint32_t xcc_id) {
  return {xcc_id & 15, hw_id >> 13 & 3, hw_id >> 8 & 15, hw_id >> 4 & 3};
}

}  // namespace mfma::gfx950
