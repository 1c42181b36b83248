// Who a compiler is: the file that runs, what it says of itself, and the content of everything it runs with.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/compilers/compiler.h"

namespace mfma::compilers {

// The program a name stands for, as an absolute path: with a slash as a path, else through PATH. Links are not
// followed, because drivers look at the name they are called by. The error says what is wrong with it.
tl::expected<std::filesystem::path, std::string> find_program(const std::filesystem::path& name);

// What --version prints first, where that names a clang.
tl::expected<std::string, std::string> read_version(const std::filesystem::path& program,
                                                    std::chrono::milliseconds timeout);

// The files whose content decides what the compiler makes: the program itself, the tools that its "-###" names for a
// job like ours (cc1 and the linker, which a wrapper script would hide), and the LLVM, clang and lld libraries that
// the dynamic loader gives them. Sorted, links followed, each once.
std::vector<std::filesystem::path> files_of_compiler(const std::filesystem::path& program, const std::string& arch,
                                                     std::chrono::milliseconds timeout);

// 16 hex digits over the names and the content of these files: 0.05 s for the 220 MB of clang 22, so it is done anew
// each time rather than remembered by size and date, which an upgrade may keep.
tl::expected<std::string, std::string> hash_of_files(const std::vector<std::filesystem::path>& files);

}  // namespace mfma::compilers
