// What a finished compiler run amounts to, by exit status first and text second.
#pragma once

#include <string>
#include <string_view>

#include "harness/compilers/compiler.h"
#include "harness/system/process.h"

namespace mfma::compilers {

// kOk means only that the compiler says so: whether there is an object is the caller's to see. Which text means what
// was read off clang 14, 19 and 22; see the table in outcome.cc.
Outcome classify(const system::Finished& finished);

// The line of a log that says most: the first with "error", else the first that is not blank. At most 300 bytes, and
// printable whatever the log holds.
std::string telling_line(std::string_view log);

}  // namespace mfma::compilers
