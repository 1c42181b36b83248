#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "harness/compilers/compiler.h"
#include "harness/system/whole_file.h"
#include "tests/system/support.h"

namespace mfma::compilers {
namespace {

using Bytes = std::vector<std::byte>;
using ::testing::HasSubstr;

Bytes bytes_of(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  return bytes;
}

fs::path entry(const system::TemporaryDirectory& directory, const std::string& key) {
  return directory.path() / "objects" / key;
}

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(Cache, GivesBackWhatItWasGiven) {
  const auto directory = test::scratch();
  const Cache cache(directory.path());
  EXPECT_EQ(cache.find("k"), nullptr);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{200'000}}) {
    cache.store("k", bytes_of(size, 1));
    ASSERT_NE(cache.find("k"), nullptr);
    EXPECT_EQ(*cache.find("k"), bytes_of(size, 1));
    EXPECT_EQ(*Cache(directory.path()).find("k"), bytes_of(size, 1));  // another run
  }
  EXPECT_EQ(cache.find("other"), nullptr);
  EXPECT_EQ(files_in(directory.path() / "objects"), 1U);
  EXPECT_EQ(cache.note(), "");
}

TEST(Cache, ADamagedEntryIsAMissAndIsReplaced) {
  const auto directory = test::scratch();
  const Cache cache(directory.path());
  const Bytes object = bytes_of(100, 2);
  cache.store("k", object);
  const std::string whole = system::read_whole_file(entry(directory, "k")).value();
  // Every truncation, and every byte changed.
  for (std::size_t i = 0; i < whole.size(); ++i) {
    test::write_file(entry(directory, "k"), whole.substr(0, i));
    EXPECT_EQ(cache.find("k"), nullptr) << "cut at " << i;
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    test::write_file(entry(directory, "k"), changed);
    EXPECT_EQ(cache.find("k"), nullptr) << "changed at " << i;
  }
  test::write_file(entry(directory, "k"), whole + "x");
  EXPECT_EQ(cache.find("k"), nullptr);
  cache.store("k", object);
  ASSERT_NE(cache.find("k"), nullptr);
  EXPECT_EQ(*cache.find("k"), object);
}

TEST(Cache, AnEntryUnderAWrongNameIsAMiss) {
  const auto directory = test::scratch();
  const Cache cache(directory.path());
  cache.store("a", bytes_of(100, 3));
  fs::copy_file(entry(directory, "a"), entry(directory, "b"));
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST(Cache, APlaceThatCannotBeWrittenIsNoErrorButIsNoted) {
  const auto directory = test::scratch();
  test::write_file(directory.path() / "file", "");
  const Cache cache(directory.path() / "file" / "below");  // works for root too, unlike permissions
  EXPECT_EQ(cache.note(), "");
  cache.store("k", bytes_of(10, 4));
  EXPECT_EQ(cache.find("k"), nullptr);
  EXPECT_THAT(cache.note(), HasSubstr("not cached"));
  EXPECT_THAT(cache.note(), HasSubstr((directory.path() / "file").string()));
}

TEST(Cache, AFullDiskIsNoErrorAndLeavesNothingBehind) {
  const auto directory = test::scratch();
  // A file size limit stands in for the full disk: the same short write.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Cache cache(directory.path());
    cache.store("k", bytes_of(100'000, 5));
    _exit(cache.find("k") == nullptr && !cache.note().empty() && files_in(directory.path() / "objects") == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Cache, AnEmptyDirectoryNameHoldsNothing) {
  const Cache cache{fs::path()};
  cache.store("k", bytes_of(10, 6));
  EXPECT_EQ(cache.find("k"), nullptr);
  EXPECT_THAT(cache.note(), HasSubstr("XDG_CACHE_HOME"));
}

TEST(Cache, DefaultDirectoryFollowsTheXdgRule) {
  const test::ScopedEnvironment home("HOME", "/h");
  {
    const test::ScopedEnvironment xdg("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(Cache::default_directory(), "/x/mfma-conform");
  }
  for (const char* unusable : {"", "relative"}) {
    const test::ScopedEnvironment xdg("XDG_CACHE_HOME", unusable);
    EXPECT_EQ(Cache::default_directory(), "/h/.cache/mfma-conform");
    const test::ScopedEnvironment no_home("HOME", "");
    EXPECT_EQ(Cache::default_directory(), "");
  }
}

TEST(Cache, ThreadsThatShareADirectorySeeWholeObjectsOnly) {
  const auto directory = test::scratch();
  constexpr unsigned kThreads = 6, kRounds = 60, kKeys = 4;
  std::atomic<int> wrong{0}, found{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Cache cache(directory.path());
      for (unsigned i = 0; i < kRounds; ++i) {
        const unsigned k = (i + t) % kKeys;
        cache.store(fmt::format("key{}", k), bytes_of(50'000 + k, k));
        const auto object = cache.find(fmt::format("key{}", (k + 1) % kKeys));
        found += object != nullptr;
        wrong += object != nullptr && *object != bytes_of(50'000 + (k + 1) % kKeys, (k + 1) % kKeys);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
  EXPECT_EQ(files_in(directory.path() / "objects"), kKeys);
}

// A writer that is killed again and again, at points that it cannot choose, must never make find() return a wrong
// object, and what it leaves must not stop the next one.
TEST(Cache, AKilledWriterLeavesNothingThatIsBelieved) {
  const auto directory = test::scratch();
  const Bytes object = bytes_of(500'000, 7);
  const Cache reader(directory.path());
  for (int round = 0; round < 40; ++round) {
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      const Cache cache(directory.path());
      for (;;) cache.store("k", object);
    }
    // Killed while it starts and, once an entry has shown that it is at work, in the middle of the next ones.
    if (round % 2 == 1) {
      while (!fs::exists(entry(directory, "k"))) std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(97 * round));
    kill(writer, SIGKILL);
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    const auto found = reader.find("k");
    if (round % 2 == 1) {
      ASSERT_NE(found, nullptr);
    }
    if (found != nullptr) {
      ASSERT_EQ(*found, object);
    }
    if (round % 4 == 1) fs::remove(entry(directory, "k"));
  }
  reader.store("k", object);
  ASSERT_NE(reader.find("k"), nullptr);
  EXPECT_EQ(*reader.find("k"), object);

  // Leftovers of the killed go when they are old enough to belong to nobody; entries stay.
  for (const auto& file : fs::directory_iterator(directory.path() / "objects"))
    fs::last_write_time(file.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  const Cache next(directory.path());
  EXPECT_EQ(files_in(directory.path() / "objects"), 1U);
  EXPECT_NE(next.find("k"), nullptr);
}

TEST(Cache, YoungLeftoversMayBelongToARunningWriterAndStay) {
  const auto directory = test::scratch();
  Cache(directory.path()).store("k", bytes_of(10, 8));
  test::write_file(directory.path() / "objects" / "k.aside-1-0-0", "half");
  const Cache next(directory.path());
  EXPECT_EQ(files_in(directory.path() / "objects"), 2U);
}

TEST(Cache, StaysWithinItsLimitAndKeepsWhatIsUsed) {
  const auto directory = test::scratch();
  constexpr std::uintmax_t kLimit = 100'000;
  const Cache cache(directory.path(), kLimit);
  const auto age = [&](const std::string& key, int hours) {
    fs::last_write_time(entry(directory, key), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  cache.store("old", bytes_of(40'000, 1));
  cache.store("used", bytes_of(40'000, 2));
  age("old", 2);
  age("used", 3);
  ASSERT_NE(cache.find("used"), nullptr);  // now the younger of the two
  cache.store("new", bytes_of(40'000, 3));
  EXPECT_EQ(cache.find("old"), nullptr);
  EXPECT_NE(cache.find("used"), nullptr);
  EXPECT_NE(cache.find("new"), nullptr);
}

}  // namespace
}  // namespace mfma::compilers
