// The parts of a case file that its reader and its writer share. Internal to harness/cases.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cases/case_file.h"
#include "harness/catalogue/layout.h"

namespace mfma::cases::detail {

inline constexpr std::string_view kHeader = "mfma-conform case";

// "key: value" lines whose values are text, in the order in which they are written.
struct TextKey {
  std::string_view key;
  std::string CaseFile::*value;
};
inline constexpr std::array<TextKey, 11> kTextKeys{{{"compiler", &CaseFile::compiler},
                                                    {"compiler-version", &CaseFile::compiler_version},
                                                    {"compiler-hash", &CaseFile::compiler_hash},
                                                    {"level", &CaseFile::level},
                                                    {"device", &CaseFile::device},
                                                    {"profile", &CaseFile::profile},
                                                    {"profile-source", &CaseFile::profile_source},
                                                    {"profile-digest", &CaseFile::profile_digest},
                                                    {"device-profile", &CaseFile::device_profile},
                                                    {"device-profile-source", &CaseFile::device_profile_source},
                                                    {"cbsz-reading", &CaseFile::cbsz_reading}}};

// A matrix of element codes: "A", "B", "C", "scale-A", "scale-B", "expected-D", "actual-D".
struct MatrixKey {
  std::string_view key;
  catalogue::Operand operand;
  catalogue::RegisterImage Case::*image;                       // nullptr: codes only
  std::optional<std::vector<std::uint64_t>> CaseFile::*codes;  // nullptr: in an image
  bool scale = false;
};
inline constexpr std::array<MatrixKey, 7> kMatrixKeys{
    {{"A", catalogue::Operand::kA, &Case::a, nullptr},
     {"B", catalogue::Operand::kB, &Case::b, nullptr},
     {"C", catalogue::Operand::kC, &Case::c, nullptr},
     {"scale-A", catalogue::Operand::kScaleA, &Case::scale_a, nullptr, true},
     {"scale-B", catalogue::Operand::kScaleB, &Case::scale_b, nullptr, true},
     {"expected-D", catalogue::Operand::kD, nullptr, &CaseFile::expected},
     {"actual-D", catalogue::Operand::kD, nullptr, &CaseFile::actual}}};

inline constexpr std::string_view kUnread = "unread ";  // before the key of a matrix in an image

// The code of elements whose row is left out.
inline std::uint64_t default_code(const MatrixKey& key) { return key.scale ? 0x7f : 0; }

// "16x32 f16", "4 blocks of 4x4 f32": what stands behind the key of a matrix.
std::string size_of(const catalogue::Instance& instance, const MatrixKey& key);
catalogue::ElementFormat format_of(const catalogue::Instance& instance, const MatrixKey& key);

// An empty image of the operand, with the registers that the builtin declares.
catalogue::RegisterImage empty_image(const catalogue::Instance& instance, catalogue::Operand operand);
// The bits of each dword that an element holds, in the order of RegisterImage::dwords.
std::vector<std::uint32_t> element_bits(const catalogue::Layout& layout, int registers);

// Control characters, backslashes and blanks at the ends as \xHH, so that any text fits a line.
std::string escaped(std::string_view text);
std::optional<std::string> unescaped(std::string_view text);  // nothing when a \ is not followed by xHH

}  // namespace mfma::cases::detail
