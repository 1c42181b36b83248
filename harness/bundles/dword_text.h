// Register images as compact text in a C source: what a program of a few lines reads back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mfma::bundles {

// "3f800000 0*63 ffffffff": dwords in hex, "V*N" for N of V. Zeros at the end are left out; no dwords at all, or zeros
// only, are "".
std::string dword_text(std::span<const std::uint32_t> dwords);

// "static const char NAME[] =" and the text as string literals, a line each of at most `columns` columns where the
// words allow it.
std::string c_array(std::string_view name, const std::string& text, std::size_t columns);

}  // namespace mfma::bundles
