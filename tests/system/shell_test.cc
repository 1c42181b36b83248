#include "harness/system/shell.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace mfma::system {
namespace {

// What /bin/sh makes of `words` as the arguments of printf, one a line.
std::string as_the_shell_reads(const std::string& words) {
  const std::string command = "printf '%s|' " + words;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = pipe ? fread(buffer.data(), 1, buffer.size(), pipe.get()) : 0)
    out.append(buffer.data(), n);
  return out;
}

TEST(Shell, AShellReadsBackEveryWord) {
  for (const std::string word : {"", "plain", "-O2", "two words", "it's", "'", "''", "a'b'c", "$HOME", "`id`", "\\",
                                 "a\nb", "*", "~", "#x", "a;b", "mfma_*=*", "\xc3\xa9", "--x=[a]{b}<c>|&!?\"\t"}) {
    EXPECT_EQ(as_the_shell_reads(shell_quoted(word)), word + "|");
    EXPECT_EQ(as_the_shell_reads(shell_word(word)), word + "|");
    EXPECT_EQ(as_the_shell_reads(shell_word("x") + " " + shell_word(word)), "x|" + word + "|");
  }
  for (int c = 1; c < 256; ++c) {
    const std::string word(1, static_cast<char>(c));
    EXPECT_EQ(as_the_shell_reads(shell_word(word)), word + "|") << "character " << c;
  }
}

TEST(Shell, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(shell_word("/opt/rocm-7.0/bin/clang++_x@y:z=1,2+3%4^5"), "/opt/rocm-7.0/bin/clang++_x@y:z=1,2+3%4^5");
  EXPECT_EQ(shell_quoted("plain"), "'plain'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace mfma::system
