#include "harness/system/utf8.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace mfma::system {
namespace {

const std::string kReplacement = "\xef\xbf\xbd";

TEST(Utf8, WhatIsWellFormedStays) {
  for (const std::string text :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa4z"}) {
    EXPECT_EQ(with_valid_utf8(text), text);
  }
  EXPECT_EQ(with_valid_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

// The examples of Unicode 15, tables 3-8 to 3-11.
TEST(Utf8, EachMaximalPartIsReplacedByOne) {
  const auto replaced = [](int n, const std::string& text) {
    std::string all;
    for (int i = 0; i < n; ++i) all += kReplacement;
    return all + text;
  };
  EXPECT_EQ(with_valid_utf8("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), replaced(8, "A"));
  EXPECT_EQ(with_valid_utf8("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"), replaced(8, "A"));
  EXPECT_EQ(with_valid_utf8("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"), replaced(5, "A") + replaced(2, "B"));
  EXPECT_EQ(with_valid_utf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), replaced(4, "A"));
  EXPECT_EQ(with_valid_utf8("a\xf0\x90\x80"), "a" + kReplacement);
}

// The same log must be the same text in JSON and in JUnit.
TEST(Utf8, AsTheJsonLibraryReplaces) {
  std::mt19937_64 random(1);
  const std::string bytes =
      "aA\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = i % 2 ? bytes[random() % bytes.size()] : static_cast<char>(random());
    const std::string dumped = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    ASSERT_EQ(with_valid_utf8(text), nlohmann::json::parse(dumped).get<std::string>()) << i;
  }
}

}  // namespace
}  // namespace mfma::system
