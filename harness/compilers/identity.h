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

// 16 hex digits over the content of these files. A file's digest is remembered under `memory` by path, inode, size and
// times of change, so that a warm start need not read 220 MB again; an empty `memory` remembers nothing.
tl::expected<std::string, std::string> hash_of_files(const std::vector<std::filesystem::path>& files,
                                                     const std::filesystem::path& memory);

}  // namespace mfma::compilers
