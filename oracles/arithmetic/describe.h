// A profile rule in words, for people: the parameters that its kind reads, status and source.
#pragma once

#include <string>

#include "oracles/arithmetic/profile.h"

namespace mfma::oracles {

// Indented lines, each ended by a newline.
std::string describe(const ProfileRule& rule);

}  // namespace mfma::oracles
