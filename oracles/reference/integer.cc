#include "oracles/reference/models.h"

namespace mfma::oracles::reference {

std::uint64_t integer_sum(const Operands& operands) {
  Dyadic sum = operands.c.value;
  for (int k = 0; k < operands.size(); ++k) sum += operands.product(k).value;
  mpz_class modulo;
  mpz_fdiv_r_2exp(modulo.get_mpz_t(), sum.in_units_of(0).get_mpz_t(), static_cast<mp_bitcnt_t>(operands.acc.bits));
  return modulo.get_ui();
}

}  // namespace mfma::oracles::reference
