// Reduction of a failing case: the same failure with as little in it as can be found within a budget.
//
// Knows neither devices nor oracles: whether a candidate fails is for the caller's judge to say. Towards which end:
// the lowest optimisation level, no modifiers, scales of one, no bits that nothing reads, few blocks, rows, columns and
// k that are not zero, and elements that are 0, 1, or near to 1 with few fraction bits.
//
// The result is a function of the failing case and of what the judge says (and of the time, where time ends it).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/cases/case.h"

namespace mfma::reduction {

struct Candidate {
  cases::Case c;
  std::string level;  // "O2"
  bool operator==(const Candidate&) const = default;
};

// Says of each case whether it fails. All are of one instance, to be compiled at one level: one launch.
using Judge = std::function<std::vector<bool>(const catalogue::Instance&, const std::string& level,
                                              std::span<const cases::Case>)>;

struct Budget {
  std::uint64_t candidates = 20'000;       // that may be judged
  std::chrono::milliseconds time{60'000};  // wall clock, looked at between launches
  std::size_t batch = 64;                  // candidates to a launch at most
};

// What there is to reduce, each as a count. A reduction raises none of them.
struct Weight {
  int level = 0;                 // O0 is 0
  int modifiers = 0;             // immediates that are not 0; 1 for the scaled form
  std::uint64_t elements = 0;    // of A, B and C that are not +0; scales that are not one
  std::uint64_t unread = 0;      // dwords with bits set that no element holds
  std::uint64_t complexity = 0;  // summed over elements and scales
  bool operator==(const Weight&) const = default;
};
Weight weigh(const Candidate& candidate);

struct Reduction {
  Candidate smallest;        // fails; the candidate given where `reproduced` is false
  bool reproduced = false;   // the judge says that the candidate given fails
  bool exhausted = false;    // the budget ended it: more might have been found
  std::uint64_t judged = 0;  // candidates, the first included
  std::uint64_t launches = 0;
};

// `levels`: what may be tried in place of the candidate's own; only lower ones are.
Reduction reduce(const Candidate& failing, std::span<const std::string> levels, const Judge& judge,
                 const Budget& budget = {});

}  // namespace mfma::reduction
