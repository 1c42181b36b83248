#include "harness/system/glob.h"

#include <fnmatch.h>

namespace mfma::system {

bool glob_matches(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

}  // namespace mfma::system
