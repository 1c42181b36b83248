// The memory of the decoded operands of a product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "oracles/batched/kernels.h"

namespace mfma::oracles::batched {

// One allocation for all arrays of an operand.
class OperandMemory {
 public:
  static constexpr unsigned kFields = 1, kValues = 2, kUnscaled = 4, kSplit64 = 8;

  OperandMemory(std::size_t elements, std::size_t lines, unsigned wanted) {
    const std::size_t count = elements + 2 * kTile;
    const std::size_t of_lines = lines + 2 * kTile;
    const std::size_t words = 3 * count + 3 * of_lines + ((wanted & kFields) != 0 ? 3 * count : 0);
    const auto arrays = [wanted](unsigned which, std::size_t n) { return (wanted & which) != 0 ? n : 0; };
    const std::size_t doubles = (arrays(kValues, 1) + arrays(kUnscaled, 1) + arrays(kSplit64, 2)) * count;
    words_ = std::make_unique_for_overwrite<std::int32_t[]>(words);
    doubles_ = std::make_unique_for_overwrite<std::uint64_t[]>(doubles);
    // What lies beyond is read into lanes that nobody looks at, but must be initialised.
    std::int32_t* word = words_.get();
    const auto take = [&word](std::size_t n) {
      std::int32_t* at = word;
      word += n;
      std::fill(word - 2 * kTile, word, 0);
      return at;
    };
    operand.bound = take(count);
    operand.odd = take(count);
    operand.flags = take(count);
    operand.any = take(of_lines);
    operand.least_odd = take(of_lines);
    operand.largest_bound = take(of_lines);
    if ((wanted & kFields) != 0) {
      operand.magnitude = take(count);
      operand.sign = take(count);
      operand.lead = take(count);
    }
    std::uint64_t* eight = doubles_.get();
    const auto take_eight = [&eight, count] {
      std::uint64_t* at = eight;
      eight += count;
      std::fill(eight - 2 * kTile, eight, 0);
      return at;
    };
    const auto as_doubles = [](std::uint64_t* p) { return reinterpret_cast<double*>(p); };
    if ((wanted & kValues) != 0) operand.value = as_doubles(take_eight());
    if ((wanted & kUnscaled) != 0) operand.unscaled = as_doubles(take_eight());
    if ((wanted & kSplit64) != 0) {
      split.significand = as_doubles(take_eight());
      split.exponent = reinterpret_cast<std::int64_t*>(take_eight());
    }
  }

  Operand operand;
  Operand64 split;

 private:
  std::unique_ptr<std::int32_t[]> words_;
  std::unique_ptr<std::uint64_t[]> doubles_;
};

}  // namespace mfma::oracles::batched
