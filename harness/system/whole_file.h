// Files that are read and written whole: a reader never sees half of one, whoever is killed when.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace mfma::system {

// nullopt when the file cannot be opened or read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

// As read_whole_file, of at most `largest` bytes: an endless file does not fill the memory. The error says what the
// file is, without its name: "cannot be read", "larger than 4 MiB".
tl::expected<std::string, std::string> read_bounded_file(const std::filesystem::path& path, std::size_t largest);

// Makes the directories, writes a file of another name beside `path` and renames it. The error says what failed.
tl::expected<void, std::string> write_whole_file(const std::filesystem::path& path, std::string_view content);

// Removes files that a killed write_whole_file left in `directory`, where they are older than an hour.
void remove_leftovers(const std::filesystem::path& directory);

}  // namespace mfma::system
