#include "harness/system/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace mfma::system {
namespace {

// What is wrong with JSON that is well formed; never leaves this file.
struct Refusal {
  std::string line;
};

// Follows the parser, so that what is refused can be named by its place: "waivers[2].code".
class Place {
 public:
  void open(bool object) { open_.push_back({object, {}, {}, 0}); }
  void close() {
    open_.pop_back();
    value();
  }
  void value() {
    if (!open_.empty()) ++open_.back().index;
  }
  // Throws where the object has the key already.
  void key(const std::string& name) {
    Open& object = open_.back();
    object.key = name;
    if (!object.keys.insert(name).second) throw Refusal{text() + ": stands twice in one object"};
    if (object.keys.size() > kLargestObject)
      throw Refusal{fmt::format("{}: more than {} keys in one object", text(), kLargestObject)};
  }
  std::size_t depth() const { return open_.size(); }
  std::string text() const {
    std::string all;
    for (const Open& o : open_) {
      if (!o.object) all += fmt::format("[{}]", o.index);
      if (o.object && !o.key.empty()) all += (all.empty() ? "" : ".") + o.key;
    }
    return all;
  }

 private:
  struct Open {
    bool object = false;
    std::set<std::string> keys;
    std::string key;
    std::size_t index = 0;
  };
  std::vector<Open> open_;
};

// "line 1, column 5: ..." of the library's "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
std::string place_in_text(const std::string& message) {
  constexpr std::string_view kPrefix = "parse error at ";
  const std::size_t at = message.find(kPrefix);
  return at == std::string::npos ? message : message.substr(at + kPrefix.size());
}

// The number in "[json.exception.out_of_range.406] number overflow parsing '1e999'".
std::string quoted_in(const std::string& message) {
  const std::size_t first = message.find('\''), last = message.rfind('\'');
  return first == last ? message : message.substr(first + 1, last - first - 1);
}

// The library takes a NUL for the end of the text, and what comes after it for nothing.
JsonFault nul_at(std::string_view text, std::size_t at) {
  std::size_t line = 1, column = 1;
  for (const char c : text.substr(0, at)) {
    ++column;
    if (c != '\n') continue;
    ++line;
    column = 1;
  }
  return {at + 1, fmt::format("line {}, column {}: a NUL, which no JSON text has", line, column)};
}

}  // namespace

template <typename Json>
tl::expected<Json, JsonFault> parse_json(std::string_view text) {
  using Event = typename Json::parse_event_t;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return tl::make_unexpected(nul_at(text, nul));
  Place place;
  const auto watch = [&](int, Event event, Json& parsed) {
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        place.open(event == Event::object_start);
        if (place.depth() > kDeepestJson) throw Refusal{fmt::format("nested deeper than {}", kDeepestJson)};
        break;
      case Event::object_end:
      case Event::array_end:
        place.close();
        break;
      case Event::key:
        place.key(parsed.template get_ref<const std::string&>());
        break;
      case Event::value:
        place.value();
        break;
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Refusal& refusal) {
    return tl::make_unexpected(JsonFault{0, refusal.line});
  } catch (const typename Json::parse_error& error) {
    return tl::make_unexpected(JsonFault{error.byte, place_in_text(error.what())});
  } catch (const typename Json::out_of_range& error) {
    const std::string at = place.text();
    return tl::make_unexpected(
        JsonFault{0, fmt::format("{}{}{} is a number too large", at, at.empty() ? "" : ": ", quoted_in(error.what()))});
  }
}

template tl::expected<nlohmann::json, JsonFault> parse_json(std::string_view);
template tl::expected<nlohmann::ordered_json, JsonFault> parse_json(std::string_view);

}  // namespace mfma::system
