// Properties: what the results of a matrix core must have to do with one another, whatever its arithmetic model.
//
// A property turns a case into a trial: the case and others made from it (of the same instance or of another), and
// what must hold between the bits of their results. No expected result is computed, so a trial judges a device without
// any model of its adders. docs/properties.md says of each property why no lawful model (docs/numerics.md, section 4)
// may break it; where a model could, the trial speaks of exact elements only (oracles/exactness.h).
//
// Where the sources contradict one another a trial has several readings: it fails when none of them holds, and tells
// which ones did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/mode.h"
#include "harness/cases/rng.h"
#include "harness/catalogue/instance.h"

namespace mfma::properties {

// One execution of a trial.
struct Step {
  cases::Case operands;
  cases::ModeBits mode;
  std::optional<std::size_t> c_from;  // an earlier step, whose D is this one's C; else C is that of `operands`
  bool apart = false;                 // must run in a launch of its own, though an equal step has run before
};

// How one element of D (bits in its format) stands to another. "Same" holds of any two NaNs, unless said otherwise:
// which NaN comes out depends on the order of the operands in some lawful models.
enum class Relation {
  kSameBits,   // every bit, of NaNs too
  kSame,       // every bit, or both NaN
  kSameValue,  // as kSame, or both zero
  kNegated,    // the other sign; zeros of any sign; both NaN
  kShifted,    // the reference times 2^operand, both normal; zeros of any sign; both NaN
  kPlus,       // integers: the reference plus `operand`, modulo 2^32
  kClamped,    // the reference, the largest number of its sign in the place of an infinity; both NaN
  kAtLeast,    // as numbers; never a NaN
  kConstant,   // the bits of `operand`; no reference
};
std::string_view name_of(Relation relation);

// Elements are numbered [block][row][column] in D of a step.
struct ElementRef {
  std::uint32_t step = 0, element = 0;
};
struct Comparison {
  Relation relation = Relation::kSame;
  ElementRef subject, reference;
  std::uint64_t operand = 0;
};

struct Reading {
  std::string name;  // empty where there is but one
  std::vector<Comparison> comparisons;
};

struct Trial {
  std::vector<Step> steps;
  std::vector<Reading> readings;  // never empty, nor any of their lists of comparisons
};

// What the derivation of a trial may know beside the case.
struct Draw {
  const catalogue::Instance& instance;
  std::uint64_t seed = 0;
  std::uint64_t number = 0;  // of the trial, from 0
  cases::Rng& rng;           // a function of (seed, instance, property, number) only
};

struct Property {
  std::string_view name;       // "permute-rows"
  std::string_view statement;  // one sentence
  std::string_view source;     // of the rule
  std::string_view applies_to;
  // The instances it speaks of at all. Structural properties hold on any; for those `particular` is false, and a run
  // may spread them over the instances of a builtin.
  bool (*applies)(const catalogue::Instance&) = nullptr;
  bool particular = false;  // of a modifier or a mode: to be checked on every instance it applies to
  // Nothing where the drawn case has nothing to compare.
  std::optional<Trial> (*derive)(const Draw&) = nullptr;
};

// All, in a fixed order; and one by name, null when there is none.
std::span<const Property> all_properties();
const Property* find_property(std::string_view name);

// Trial `number` of a property on an instance: a function of the arguments and of nothing else.
std::optional<Trial> make_trial(const Property& property, const catalogue::Instance& instance, std::uint64_t seed,
                                std::uint64_t number);
// "permute-rows/mfma_f32_4x4x1f32@seed=1#0".
std::string trial_id(const Property& property, const catalogue::Instance& instance, std::uint64_t seed,
                     std::uint64_t number);

// A comparison that does not hold: bits of both sides (the reference as the relation wants it).
struct Mismatch {
  Comparison comparison;
  std::uint64_t expected = 0, actual = 0;
};

struct Judgement {
  bool broken = false;             // no reading holds
  std::vector<std::size_t> holds;  // indices of the readings that do
  // Of the reading with the fewest, when broken: how many comparisons fail, and the first few.
  std::size_t reading = 0, failing = 0;
  std::vector<Mismatch> mismatches;
  std::size_t compared = 0;  // elements, of all readings

  // The sources differ on this, and the device's answer told them apart.
  bool open() const { return !broken && holds.size() < readings; }
  std::size_t readings = 1;
};

// `results`: D of every step, one element each in the order above (catalogue::read_elements).
Judgement judge(const Trial& trial, std::span<const std::vector<std::uint64_t>> results);

}  // namespace mfma::properties
