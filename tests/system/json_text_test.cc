#include "harness/system/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mfma::system {
namespace {

using Json = nlohmann::ordered_json;

std::string why_not(std::string_view text) {
  const auto json = parse_json<Json>(text);
  return json ? "taken" : fmt::format("{} {}", json.error().byte, json.error().what);
}

TEST(JsonText, IsTakenAsItStands) {
  const auto json = parse_json<Json>(" {\"b\": [1, {\"a\": 1.5}, {\"a\": null}], \"a\": \"\\u0000x\"}\n");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), "{\"b\":[1,{\"a\":1.5},{\"a\":null}],\"a\":\"\\u0000x\"}");
  EXPECT_EQ(parse_json<nlohmann::json>("{\"b\": 1, \"a\": 2}")->dump(), "{\"a\":2,\"b\":1}");
}

TEST(JsonText, AKeyTwiceInOneObjectIsRefusedWithItsPlace) {
  EXPECT_EQ(why_not(R"({"a": 1, "b": 2, "a": 1})"), "0 a: stands twice in one object");
  EXPECT_EQ(why_not(R"({"l": [0, [], {"x": 1}, {"y": {"x": 1, "x": 2}}]})"), "0 l[3].y.x: stands twice in one object");
}

TEST(JsonText, NothingComesAfterTheValue) {
  using namespace std::literals;
  EXPECT_EQ(why_not("{}\n\0"sv), "4 line 2, column 1: a NUL, which no JSON text has");
  EXPECT_EQ(why_not("{}\0{"sv), "3 line 1, column 3: a NUL, which no JSON text has");
  EXPECT_EQ(why_not("\0"sv), "1 line 1, column 1: a NUL, which no JSON text has");
  EXPECT_EQ(why_not("{} x").substr(0, 22), "4 line 1, column 4: sy");
  EXPECT_EQ(why_not("{}{}").substr(0, 22), "3 line 1, column 3: sy");
  EXPECT_NE(why_not(""), "taken");
}

TEST(JsonText, NumbersThatNoDoubleHoldsAreRefusedWithTheirPlace) {
  EXPECT_EQ(why_not("{\"a\": [1, 1e999]}"), "0 a[1]: 1e999 is a number too large");
  EXPECT_EQ(why_not("-1e999"), "0 -1e999 is a number too large");
  EXPECT_NE(why_not("{\"a\": NaN}"), "taken");
  EXPECT_EQ(why_not("{\"a\": 1e308}"), "taken");
}

TEST(JsonText, DepthAndWidthAreBounded) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(why_not(nested(kDeepestJson)), "taken");
  EXPECT_EQ(why_not(nested(kDeepestJson + 1)), "0 nested deeper than 100");
  EXPECT_EQ(why_not(std::string(1'000'000, '[')), "0 nested deeper than 100");
  std::string wide = "{\"k\":0";
  for (std::size_t i = 1; i < kLargestObject; ++i) wide += fmt::format(",\"{}\":0", i);
  EXPECT_EQ(why_not(wide + "}"), "taken");
  EXPECT_EQ(why_not(wide + ",\"one\":0}"), "0 one: more than 10000 keys in one object");
}

}  // namespace
}  // namespace mfma::system
