// A builtin named on the command line.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <tl/expected.hpp>

#include "harness/catalogue/builtin.h"

namespace mfma::cli {

// The builtin of exactly this name, or one line that names the nearest, or says that gfx950 does not have it.
inline tl::expected<const catalogue::Builtin*, std::string> builtin_named(const std::string& name) {
  if (const catalogue::Builtin* found = catalogue::find_builtin(name)) return found;
  for (const catalogue::RejectedBuiltin& rejected : catalogue::rejected_builtins()) {
    if (name == rejected.name || name == "__builtin_amdgcn_" + std::string(rejected.name)) {
      return tl::make_unexpected(fmt::format("builtin '{}' is not one of gfx950: {}; 'mfma-conform list' shows the 38",
                                             rejected.name, rejected.reason));
    }
  }
  return tl::make_unexpected(fmt::format("no builtin '{}'; nearest: {}; 'mfma-conform list' shows all", name,
                                         fmt::join(catalogue::nearest_names(name, 3), ", ")));
}

}  // namespace mfma::cli
