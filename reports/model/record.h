// What a record of a report consists of, as data: one row for each field, with its key in JSON, its member, what it
// means, when it is left out, and what comparing and merging make of it. The writer and the reader of JSON
// (reports/json/record_json.h), the schemas (reports/json/record_schema.h), the comparison and the merging of reports
// go by these rows and have no list of fields of their own. The tables are in *_fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mfma::reports {

// How much of a finding is written. Short: one difference, no log, no source and no histogram; bare: what was seen and
// where, and of no case.
enum class Detail { kBare, kShort, kFull };

namespace record {

// What merging the reports of shards makes of a field.
enum class Merge {
  kFirst,  // it is the same in all of them, or the first shard's is taken
  kSum,
  kOwn,  // merge.cc puts it together or works it out anew
};

// Of comparing two reports: the name that a field has among the facts of the environment.
struct Compared {
  const char* name = nullptr;  // "seed"; none: not compared
  bool decides_cases = false;  // it decides which cases there are and how they are judged
  int order = 0;               // facts are told by it, and by the order of rows where it is the same
};

struct About {
  const char* key = "";
  const char* doc = "";
  const char* item = nullptr;  // of a list or a map: what an element is
  bool optional = false;       // left out where it is empty, 0, false or nothing
  bool null = false;           // where it is nothing, null is written
  bool line_each = false;      // of a list in a report: an element to a line of the file
  bool in_short = false;       // of a finding: it is written as Detail::kShort has it
  Detail from = Detail::kBare;
  // Of the schema alone.
  std::uint64_t minimum = 0;
  std::optional<std::uint64_t> maximum = {};
  const char* pattern = nullptr;
  std::vector<std::string_view> (*words)() = nullptr;  // the only values of a text
  bool required = false;                               // of a text that is optional by its form, but always there
  // Of a run.
  Compared compared = {};
  const char* same_run = nullptr;  // parts of one run have the same; its name where they do not; none: they may differ
  const char* if_none = nullptr;   // what stands in such a sentence for an empty text
  Merge merge = Merge::kFirst;
};

// `def`: its name among the definitions of the report's schema; empty: it is described where it stands.
template <typename... Rows>
struct Record {
  const char* def = "";
  const char* doc = "";
  std::tuple<Rows...> rows;
};
template <typename... Rows>
constexpr Record<Rows...> record(const char* def, const char* doc, Rows... rows) {
  return {def, doc, std::tuple<Rows...>(rows...)};
}

// A text, a number, a yes or no, a word of an enumeration, a list of texts, or an optional number.
template <typename R, typename T>
struct Field {
  T R::*member;
  About about;
};
template <typename R, typename T>
constexpr Field<R, T> field(T R::*member, About about) {
  return {member, about};
}

// A record, or an optional one.
template <typename R, typename T, typename Of>
struct Object {
  T R::*member;
  About about;
  Of of;
};
template <typename R, typename T, typename Of>
constexpr Object<R, T, Of> object(T R::*member, About about, Of of) {
  return {member, about, of};
}

template <typename R, typename T, typename Of>
struct List {
  std::vector<T> R::*member;
  About about;
  Of of;
};
template <typename R, typename T, typename Of>
constexpr List<R, T, Of> list(std::vector<T> R::*member, About about, Of of) {
  return {member, about, of};
}

// A list of records as an object with the name of each for its key.
template <typename R, typename T, typename Of>
struct Named {
  std::vector<T> R::*member;
  std::string T::*name;
  About about;
  Of of;
};
template <typename R, typename T, typename Of>
constexpr Named<R, T, Of> named(std::vector<T> R::*member, std::string T::*name, About about, Of of) {
  return {member, name, about, of};
}

// An object of some members of the same record. Without `present` it is always there.
template <typename R, typename... Rows>
struct Group {
  About about;
  Record<Rows...> of;
  bool (*present)(const R&);
  std::string (*text)(const R&);  // as a fact
};
template <typename R, typename... Rows>
constexpr Group<R, Rows...> group(About about, Record<Rows...> of,
                                  std::type_identity_t<bool (*)(const R&)> present = nullptr,
                                  std::type_identity_t<std::string (*)(const R&)> text = nullptr) {
  return {about, of, present, text};
}

// A record inside another one, whose fields stand among the outer one's.
template <typename R, typename T, typename... Rows>
struct Inlined {
  T R::*member;
  std::tuple<Rows...> rows;
};
template <typename R, typename T, typename... Rows>
constexpr Inlined<R, T, Rows...> inlined(T R::*member, std::tuple<Rows...> rows) {
  return {member, rows};
}

// Written and not read: it follows from other fields. An optional without a value is left out.
template <typename R, typename T>
struct Computed {
  T (*value)(const R&);
  About about;
};
template <typename R, typename T>
constexpr Computed<R, T> computed(std::type_identity_t<T (*)(const R&)> value, About about) {
  return {value, about};
}

struct Constant {
  const char* value;
  About about;
};
constexpr Constant constant(const char* value, About about) { return {value, about}; }

// Bits as hex digits, as many as a value of that width has.
template <typename R>
struct Bits {
  std::uint64_t R::*member;
  int R::*width;
  About about;
};
template <typename R>
constexpr Bits<R> bits(std::uint64_t R::*member, int R::*width, About about) {
  return {member, width, about};
}

// A list of texts as one, with '+' between.
template <typename R>
struct Joined {
  std::vector<std::string> R::*member;
  About about;
};
template <typename R>
constexpr Joined<R> joined(std::vector<std::string> R::*member, About about) {
  return {member, about};
}

// One number of a list of records as a map from their names to it; `add` puts such a number into the list.
template <typename R, typename T>
struct NumberByName {
  std::vector<T> R::*member;
  std::string T::*name;
  std::uint64_t T::*number;
  bool zeros;  // those that are 0 are written too
  void (*add)(std::vector<T>&, const std::string&, std::uint64_t);
  About about;
};
template <typename R, typename T>
constexpr NumberByName<R, T> number_by_name(
    std::vector<T> R::*member, std::string T::*name, std::uint64_t T::*number, bool zeros,
    std::type_identity_t<void (*)(std::vector<T>&, const std::string&, std::uint64_t)> add, About about) {
  return {member, name, number, zeros, add, about};
}

// One of two records, as `second` says; each is described at a place in the report's schema.
template <typename R, typename T, typename A, typename B>
struct Either {
  T R::*member;
  bool (*second)(const R&);
  About about;
  A a;
  const char* place_a;
  B b;
  const char* place_b;
};
template <typename R, typename T, typename A, typename B>
constexpr Either<R, T, A, B> either(T R::*member, std::type_identity_t<bool (*)(const R&)> second, About about, A a,
                                    const char* place_a, B b, const char* place_b) {
  return {member, second, about, a, place_a, b, place_b};
}

// What another schema describes; it is written and read by hand.
struct Elsewhere {
  const char* schema;
  const char* place;
  About about;
};

// Numbers by a number: of a histogram.
template <typename R>
struct NumberByPlace {
  std::map<int, std::uint64_t> R::*member;
  About about;
};
template <typename R>
constexpr NumberByPlace<R> number_by_place(std::map<int, std::uint64_t> R::*member, About about) {
  return {member, about};
}

// A list of texts with names, as an object.
template <typename R>
struct TextByName {
  std::vector<std::pair<std::string, std::string>> R::*member;
  About about;
};
template <typename R>
constexpr TextByName<R> text_by_name(std::vector<std::pair<std::string, std::string>> R::*member, About about) {
  return {member, about};
}

// Says that fields were left out because of the detail that was asked for.
struct Shortened {
  About about;
};

// A number for each word of an enumeration, under a key of its own; `set` is none where it is not read.
template <typename R, typename E, std::size_t N>
struct Tally {
  const std::array<E, N>* all;
  std::string_view (*key)(E);
  std::string_view (*word)(E);
  std::uint64_t (*get)(const R&, E);
  void (*set)(R&, E, std::uint64_t);
  const char* doc;  // what stands before the word: "Instances with the verdict "
};

// Numbers that are counted, all or without those that are 0. T has numbers only; `all` names them.
template <typename T>
struct Count {
  const char* key;
  std::uint64_t T::*member;
  const char* doc;
};
template <typename R, typename T, std::size_t N>
struct Counted {
  T (*get)(const R&);
  void (*set)(R&, const T&);  // none: not read
  const std::array<Count<T>, N>* all;
  bool few;
  About about;
};

// The words of an enumeration: name(E), named(text), all(), `what` of a text that is none of them, and the name and the
// meaning of its definition in the schema, empty where it has none.
template <typename E>
struct Words;

template <typename Rows, typename Visit>
constexpr void for_each(const Rows& rows, const Visit& visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, rows);
}

}  // namespace record
}  // namespace mfma::reports
