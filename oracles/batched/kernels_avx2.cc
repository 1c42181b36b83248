#define MFMA_KERNELS avx2
#include "oracles/batched/kernels_impl.h"

namespace mfma::oracles::batched {

const Kernels& kernels_avx2() { return avx2::kernels(); }

}  // namespace mfma::oracles::batched
