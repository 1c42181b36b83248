// Records to JSON and back, by their rows (reports/model/record.h). Heavy: for sources alone.
//
// Reading throws nlohmann's exceptions on what is missing or not of its kind, and std::invalid_argument on a word that
// is unknown or a number that is not whole. Keys that no row has are passed over: a later version may have added them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "reports/model/record.h"
#include "reports/model/report.h"

namespace mfma::reports::json {

using Json = nlohmann::ordered_json;

template <typename T>
concept Word = std::is_enum_v<T> && !std::same_as<T, ExitCode>;

// --- values -------------------------------------------------------------------------------------------------------

template <typename T>
Json to_value(const T& value) {
  if constexpr (Word<T>) {
    return record::Words<T>::name(value);
  } else if constexpr (std::is_same_v<T, ExitCode>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}
template <typename T>
Json to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : Json(nullptr);
}

template <typename T>
bool is_nothing(const T& value) {
  if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else {
    return value == T{};
  }
}

inline std::string shown(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// nlohmann gives -1 as 18446744073709551615 and 1.5 as 1.
template <std::integral T>
T whole(const Json& json) {
  if (!json.is_number_unsigned()) throw std::invalid_argument(fmt::format("{} is not a whole number", shown(json)));
  const auto value = json.get<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
    throw std::invalid_argument(fmt::format("{} is too large a number", value));
  return static_cast<T>(value);
}

inline const Json::object_t& as_object(const Json& json) {
  if (!json.is_object()) throw std::invalid_argument(fmt::format("type must be object, but is {}", json.type_name()));
  return json.get_ref<const Json::object_t&>();
}
inline const Json::array_t& as_list(const Json& json) {
  if (!json.is_array()) throw std::invalid_argument(fmt::format("type must be array, but is {}", json.type_name()));
  return json.get_ref<const Json::array_t&>();
}

template <typename T>
void read_value(const Json& json, T& value) {
  if constexpr (Word<T>) {
    const auto name = json.get<std::string>();
    const auto found = record::Words<T>::named(name);
    if (!found) throw std::invalid_argument(fmt::format("'{}' {}", name, record::Words<T>::kWhat));
    value = *found;
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = whole<T>(json);
  } else {
    value = json.get<T>();
  }
}
template <typename T>
void read_value(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) read_value(json, value.emplace());
}

// --- rows ---------------------------------------------------------------------------------------------------------

template <typename R, typename Rows>
void write_rows(const R& r, const Rows& rows, Detail detail, Json& json);
template <typename Rows, typename R>
void read_rows(const Json& json, const Rows& rows, R& r);

template <typename R, typename Of>
Json to_json(const R& r, const Of& of, Detail detail = Detail::kFull) {
  Json json = Json::object();
  write_rows(r, of.rows, detail, json);
  return json;
}
template <typename R, typename Of>
R read(const Json& json, const Of& of) {
  R r;
  read_rows(json, of.rows, r);
  return r;
}

inline Detail inside(const record::About& about) { return about.in_short ? Detail::kShort : Detail::kFull; }

template <typename R, typename T>
void write_row(const R& r, const record::Field<R, T>& row, Detail, Json& json) {
  if (!row.about.optional || !is_nothing(r.*row.member)) json[row.about.key] = to_value(r.*row.member);
}
template <typename R, typename T>
void read_row(const Json& json, const record::Field<R, T>& row, R& r) {
  if (!row.about.optional || json.contains(row.about.key)) read_value(json.at(row.about.key), r.*row.member);
}

template <typename R, typename T, typename Of>
void write_row(const R& r, const record::Object<R, T, Of>& row, Detail, Json& json) {
  json[row.about.key] = to_json(r.*row.member, row.of, inside(row.about));
}
template <typename R, typename T, typename Of>
void read_row(const Json& json, const record::Object<R, T, Of>& row, R& r) {
  read_rows(json.at(row.about.key), row.of.rows, r.*row.member);
}
template <typename R, typename T, typename Of>
void write_row(const R& r, const record::Object<R, std::optional<T>, Of>& row, Detail, Json& json) {
  const std::optional<T>& value = r.*row.member;
  if (value) {
    json[row.about.key] = to_json(*value, row.of, inside(row.about));
  } else if (row.about.null) {
    json[row.about.key] = nullptr;
  }
}
template <typename R, typename T, typename Of>
void read_row(const Json& json, const record::Object<R, std::optional<T>, Of>& row, R& r) {
  if (row.about.null ? !json.at(row.about.key).is_null() : json.contains(row.about.key))
    read_rows(json.at(row.about.key), row.of.rows, (r.*row.member).emplace());
}

template <typename R, typename T, typename Of>
void write_row(const R& r, const record::List<R, T, Of>& row, Detail detail, Json& json) {
  const std::vector<T>& all = r.*row.member;
  if (row.about.optional && all.empty()) return;
  Json& list = json[row.about.key] = Json::array();
  for (const T& element : all) {
    list.push_back(to_json(element, row.of, inside(row.about)));
    if (detail != Detail::kFull) break;
  }
}
template <typename R, typename T, typename Of>
void read_row(const Json& json, const record::List<R, T, Of>& row, R& r) {
  if (row.about.optional && !json.contains(row.about.key)) return;
  for (const Json& element : as_list(json.at(row.about.key)))
    read_rows(element, row.of.rows, (r.*row.member).emplace_back());
}

template <typename R, typename T, typename Of>
void write_row(const R& r, const record::Named<R, T, Of>& row, Detail, Json& json) {
  Json& all = json[row.about.key] = Json::object();
  for (const T& element : r.*row.member) all[element.*row.name] = to_json(element, row.of);
}
template <typename R, typename T, typename Of>
void read_row(const Json& json, const record::Named<R, T, Of>& row, R& r) {
  for (const auto& [name, element] : as_object(json.at(row.about.key))) {
    T& read = (r.*row.member).emplace_back();
    read.*row.name = name;
    read_rows(element, row.of.rows, read);
  }
}

template <typename R, typename... Rows>
void write_row(const R& r, const record::Group<R, Rows...>& row, Detail, Json& json) {
  if (!row.present || row.present(r)) json[row.about.key] = to_json(r, row.of);
}
template <typename R, typename... Rows>
void read_row(const Json& json, const record::Group<R, Rows...>& row, R& r) {
  if (!row.present || json.contains(row.about.key)) read_rows(json.at(row.about.key), row.of.rows, r);
}

template <typename R, typename T, typename... Rows>
void write_row(const R& r, const record::Inlined<R, T, Rows...>& row, Detail detail, Json& json) {
  write_rows(r.*row.member, row.rows, detail, json);
}
template <typename R, typename T, typename... Rows>
void read_row(const Json& json, const record::Inlined<R, T, Rows...>& row, R& r) {
  read_rows(json, row.rows, r.*row.member);
}

template <typename R, typename T>
void write_row(const R& r, const record::Computed<R, T>& row, Detail, Json& json) {
  const T value = row.value(r);
  if (!row.about.optional || !is_nothing(value)) json[row.about.key] = to_value(value);
}
template <typename R, typename T>
void read_row(const Json&, const record::Computed<R, T>&, R&) {}

template <typename R>
void write_row(const R&, const record::Constant& row, Detail, Json& json) {
  json[row.about.key] = row.value;
}
template <typename R>
void read_row(const Json&, const record::Constant&, R&) {}

template <typename R>
void write_row(const R&, const record::Elsewhere&, Detail, Json&) {}
template <typename R>
void read_row(const Json&, const record::Elsewhere&, R&) {}

template <typename R, typename T, typename A, typename B>
void write_row(const R& r, const record::Either<R, T, A, B>& row, Detail, Json& json) {
  json[row.about.key] = row.second(r) ? to_json(r.*row.member, row.b) : to_json(r.*row.member, row.a);
}
template <typename R, typename T, typename A, typename B>
void read_row(const Json& json, const record::Either<R, T, A, B>& row, R& r) {
  if (row.second(r)) {
    read_rows(json.at(row.about.key), row.b.rows, r.*row.member);
  } else {
    read_rows(json.at(row.about.key), row.a.rows, r.*row.member);
  }
}

template <typename R>
void write_row(const R&, const record::Shortened& row, Detail detail, Json& json) {
  if (detail != Detail::kFull) json[row.about.key] = true;
}
template <typename R>
void read_row(const Json&, const record::Shortened&, R&) {}

template <typename R>
void write_row(const R& r, const record::Bits<R>& row, Detail, Json& json) {
  json[row.about.key] = fmt::format("{:0{}x}", r.*row.member, r.*row.width / 4);
}
template <typename R>
void read_row(const Json& json, const record::Bits<R>& row, R& r) {
  const auto digits = json.at(row.about.key).template get<std::string>();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), r.*row.member, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument(fmt::format("'{}' is not a bit pattern", digits));
}

template <typename R>
void write_row(const R& r, const record::Joined<R>& row, Detail, Json& json) {
  json[row.about.key] = fmt::to_string(fmt::join(r.*row.member, "+"));
}
template <typename R>
void read_row(const Json& json, const record::Joined<R>& row, R& r) {
  const auto text = json.at(row.about.key).template get<std::string>();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plus = std::min(text.find('+', at), text.size());
    (r.*row.member).push_back(text.substr(at, plus - at));
    at = plus + 1;
  }
}

template <typename R, typename T>
void write_row(const R& r, const record::NumberByName<R, T>& row, Detail, Json& json) {
  for (const T& element : r.*row.member) {
    if (row.zeros || element.*row.number != 0) json[row.about.key][element.*row.name] = element.*row.number;
  }
}
template <typename R, typename T>
void read_row(const Json& json, const record::NumberByName<R, T>& row, R& r) {
  if (!json.contains(row.about.key)) return;
  for (const auto& [name, number] : as_object(json.at(row.about.key)))
    row.add(r.*row.member, name, whole<std::uint64_t>(number));
}

template <typename R>
void write_row(const R& r, const record::NumberByPlace<R>& row, Detail, Json& json) {
  for (const auto& [place, number] : r.*row.member) json[row.about.key][std::to_string(place)] = number;
}
template <typename R>
void read_row(const Json& json, const record::NumberByPlace<R>& row, R& r) {
  if (!json.contains(row.about.key)) return;
  for (const auto& [place, number] : as_object(json.at(row.about.key))) {
    int at = 0;
    const auto [end, error] = std::from_chars(place.data(), place.data() + place.size(), at);
    if (error != std::errc() || end != place.data() + place.size())
      throw std::invalid_argument(fmt::format("'{}' is not a number", place));
    (r.*row.member)[at] = whole<std::uint64_t>(number);
  }
}

template <typename R>
void write_row(const R& r, const record::TextByName<R>& row, Detail, Json& json) {
  Json& all = json[row.about.key] = Json::object();
  for (const auto& [name, text] : r.*row.member) all[name] = text;
}
template <typename R>
void read_row(const Json& json, const record::TextByName<R>& row, R& r) {
  for (const auto& [name, text] : as_object(json.at(row.about.key)))
    (r.*row.member).emplace_back(name, text.template get<std::string>());
}

template <typename R, typename E, std::size_t N>
void write_row(const R& r, const record::Tally<R, E, N>& row, Detail, Json& json) {
  for (const E e : *row.all) json[std::string(row.key(e))] = row.get(r, e);
}
template <typename R, typename E, std::size_t N>
void read_row(const Json& json, const record::Tally<R, E, N>& row, R& r) {
  if (!row.set) return;
  for (const E e : *row.all) row.set(r, e, whole<std::uint64_t>(json.at(std::string(row.key(e)))));
}

template <typename T, std::size_t N>
Json counts(const T& all, const std::array<record::Count<T>, N>& names, bool few) {
  Json json = Json::object();
  for (const record::Count<T>& count : names) {
    if (!few || all.*count.member != 0) json[count.key] = all.*count.member;
  }
  return json;
}
template <typename R, typename T, std::size_t N>
void write_row(const R& r, const record::Counted<R, T, N>& row, Detail, Json& json) {
  json[row.about.key] = counts(row.get(r), *row.all, row.few);
}
template <typename R, typename T, std::size_t N>
void read_row(const Json& json, const record::Counted<R, T, N>& row, R& r) {
  if (!row.set) return;
  T all;
  for (const record::Count<T>& count : *row.all) {
    if (json.at(row.about.key).contains(count.key))
      all.*count.member = whole<std::uint64_t>(json.at(row.about.key).at(count.key));
  }
  row.set(r, all);
}

// Rows that have no place of their own are always written.
template <typename Row>
bool is_written(const Row& row, Detail detail) {
  if constexpr (requires { row.about; }) {
    return row.about.from <= detail;
  } else {
    return true;
  }
}

template <typename R, typename Rows>
void write_rows(const R& r, const Rows& rows, Detail detail, Json& json) {
  record::for_each(rows, [&](const auto& row) {
    if (is_written(row, detail)) write_row(r, row, detail, json);
  });
}
template <typename Rows, typename R>
void read_rows(const Json& json, const Rows& rows, R& r) {
  record::for_each(rows, [&](const auto& row) { read_row(json, row, r); });
}

}  // namespace mfma::reports::json
