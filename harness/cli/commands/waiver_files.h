// The waivers of `run`: files read, and the names in them looked up.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "reports/model/waiver.h"

namespace mfma::cli {

// Those of all files that are not of check-compiler; bare names as data_file() has them. One line with the place where
// a file is none, or a waiver names a builtin, instance, shape, property, level or arch that there is not.
tl::expected<std::vector<reports::JudgedWaiver>, std::string> read_waiver_files(const std::vector<std::string>& files);

}  // namespace mfma::cli
