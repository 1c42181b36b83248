#include <fmt/format.h>

#include <cstdlib>

#include "fuzz/targets/target.h"

namespace mfma::fuzz {

PlantedFault planted_fault() {
  PlantedFault planted;
  const char* name = std::getenv("MFMA_FUZZ_FAULT");
  if (name == nullptr || *name == '\0') return planted;
  const auto kind = gfx950::fault_kind_named(name);
  if (kind) {
    planted.fault.kind = *kind;
  } else {
    planted.error = fmt::format("MFMA_FUZZ_FAULT={}: no fault of that name; there are:", name);
    for (const auto known : gfx950::all_fault_kinds()) planted.error += fmt::format(" {}", gfx950::name_of(known));
  }
  return planted;
}

}  // namespace mfma::fuzz
