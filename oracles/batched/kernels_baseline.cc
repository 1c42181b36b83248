#define MFMA_KERNELS baseline
#include "oracles/batched/kernels_impl.h"

namespace mfma::oracles::batched {

const Kernels& kernels_baseline() { return baseline::kernels(); }

}  // namespace mfma::oracles::batched
