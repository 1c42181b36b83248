// A builtin named on the command line.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "harness/catalogue/builtin.h"

namespace mfma::cli {

// The builtin of exactly this name, or one line that names the nearest, or says that gfx950 does not have it.
inline tl::expected<const catalogue::Builtin*, std::string> builtin_named(const std::string& name) {
  if (const catalogue::Builtin* found = catalogue::find_builtin(name)) return found;
  return tl::make_unexpected(catalogue::explain_unknown_name(name) + "; 'mfma-conform list' shows all 38");
}

}  // namespace mfma::cli
