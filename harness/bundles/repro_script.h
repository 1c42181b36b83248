// The commands of a bundle as a shell script: what was run to make its files, and how to build and run the program.
#pragma once

#include <string>
#include <vector>

#include "harness/compilers/compiler.h"

namespace mfma::bundles {

// The arguments after the compiler that make a text of repro.hip's device side, in the bundle's folder: assembly, or
// LLVM's intermediate representation.
std::vector<std::string> text_arguments(const std::string& level, const std::vector<std::string>& flags, bool llvm_ir,
                                        const std::string& output);

// repro.sh. $CXX stands in for the compiler, $LEVEL for the level; $HIPFLAGS goes to the build of the whole program,
// $RUN before its start. With the argument "device" it stops before the program. Exit code of the program; 2 where
// something cannot be built.
std::string repro_script(const compilers::Identity& compiler, const std::string& level,
                         const std::vector<std::string>& flags);

}  // namespace mfma::bundles
