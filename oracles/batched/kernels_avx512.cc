#define MFMA_KERNELS avx512
#include "oracles/batched/kernels_impl.h"

namespace mfma::oracles::batched {

const Kernels& kernels_avx512() { return avx512::kernels(); }

}  // namespace mfma::oracles::batched
