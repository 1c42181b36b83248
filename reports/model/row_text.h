// A field as a text, for people: of facts that are compared, and of what makes two reports parts of one run.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <string>
#include <vector>

#include "reports/model/record.h"

namespace mfma::reports {

inline std::string text_of(const std::string& text) { return text; }
inline std::string text_of(const std::vector<std::string>& list) { return fmt::to_string(fmt::join(list, ",")); }
template <std::integral T>
std::string text_of(T number) {
  return std::to_string(number);
}

template <typename R, typename T>
requires requires(const T& value) { text_of(value); }
std::string text_of(const R& r, const record::Field<R, T>& row) { return text_of(r.*row.member); }
template <typename R, typename... Rows>
std::string text_of(const R& r, const record::Group<R, Rows...>& row) {
  return row.text ? row.text(r) : std::string();
}

}  // namespace mfma::reports
