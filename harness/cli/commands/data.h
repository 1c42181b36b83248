// Files that come with the program: profiles, waivers, the seeds of the fuzz targets.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace mfma::cli {

// The folder of that name ("profiles", "waivers", "seeds") in the program's data: PREFIX/share/mfma-conform where the
// program is PREFIX/bin/mfma-conform, or corpus/ of the source tree where it is in a build folder there. Nothing where
// there is no such folder.
std::optional<std::filesystem::path> data_folder(const std::string& name);

// What an option that takes a file means by `given`: that file where there is one; else, for a bare name such as "seq"
// or "clang-22", the file NAME.json of the program's data; else `given`, so that the error is about what was typed.
std::string data_file(const std::string& folder, const std::string& given);

}  // namespace mfma::cli
