// `check-compiler --object`: the wait states of code objects, on every path.
#pragma once

#include <string>
#include <vector>

namespace mfma::cli {

// Prints what was found in each file and returns the exit code: 0 clean; 1 a wait state is missing; 2 something could
// not be read or not be seen to its end. `verbose`: also the functions in which nothing was found.
int check_objects(const std::vector<std::string>& files, bool verbose);

}  // namespace mfma::cli
