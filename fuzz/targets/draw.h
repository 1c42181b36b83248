// Bytes to numbers: the models and the cases that the targets draw from their input.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <string>

#include "harness/cases/case.h"
#include "oracles/arithmetic/model.h"
#include "oracles/formats/format.h"

namespace mfma::fuzz {

// A code of `f` from the next bytes, least significant first; bytes that are not there count as zero.
std::uint64_t draw_code(FuzzedDataProvider& in, int bits);

// Any model that a profile may hold for operands that are no integers, and that `acc` can take.
oracles::Model draw_model(FuzzedDataProvider& in, const oracles::Format& acc);
// Whether the exactness rule (oracles/exactness.h) covers the model: into f64 it wants wider fractions than a profile.
bool is_lawful(const oracles::Model& model, const oracles::Format& acc);
std::string text_of(const oracles::Model& model);

// A case of the instance: a fill of all images (zeros, an operand class, a few codes dealt out over all elements, or
// the input's bytes over and over), then single dwords replaced as long as there are bytes.
cases::Case draw_case(FuzzedDataProvider& in, const catalogue::Instance& instance);

}  // namespace mfma::fuzz
