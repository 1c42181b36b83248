// A case: an instance, its operands as register images, and the numbers that make it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "harness/catalogue/instance.h"
#include "harness/catalogue/register_image.h"

namespace mfma::cases {

struct Case {
  catalogue::Instance instance;
  std::uint64_t seed = 0, index = 0;
  std::string operand_class;  // the name of the class that made the operands (harness/operands/operands.h)
  // Registers as the builtin declares them, whatever the instruction reads of them: 8 for A and B of f8f6f4.
  catalogue::RegisterImage a, b, c;
  bool has_scales = false;                    // true on the scaled form only; else the scale images are empty
  catalogue::RegisterImage scale_a, scale_b;  // one dword per lane

  bool operator==(const Case&) const = default;
};

// The seed of a case's random numbers: XXH3 (64 bits, seeded with `seed`) of the instance's id followed by the index
// in eight little-endian bytes. A function of (seed, builtin, instance, index) and of nothing else: not of shard,
// order, thread or host.
std::uint64_t case_seed(std::uint64_t seed, std::string_view instance_id, std::uint64_t index);

// "mfma_f32_4x4x1f32:cbsz=1,abid=1@seed=1#12".
std::string case_id(const catalogue::Instance& instance, std::uint64_t seed, std::uint64_t index);

struct CaseId {
  catalogue::Instance instance;
  std::uint64_t seed = 0, index = 0;
  bool operator==(const CaseId&) const = default;
};
// The error says which part is wrong and what the form is.
tl::expected<CaseId, std::string> parse_case_id(std::string_view id);

}  // namespace mfma::cases
