// A model and the formats as the loops over lanes want them (kernels.h).
#pragma once

#include <optional>

#include "oracles/arithmetic/model.h"
#include "oracles/batched/kernels.h"

namespace mfma::oracles::batched {

AlignedParameters aligned_parameters(const Model& model, const Format& a, const Format& b);
// Nothing where the kind is no chain of IEEE operations.
std::optional<ChainKind> chain_kind(ModelKind kind);
FormatNumbers numbers_of(const Format& format);

}  // namespace mfma::oracles::batched
