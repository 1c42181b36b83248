// Runs that end before they are done: killed, told to end, out of time. Nothing they had is lost, and a resumed run
// ends in the report of an unbroken one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/cli/program.h"

namespace mfma::cli {
namespace {

using ::testing::HasSubstr;
using testing::program;
using testing::Ran;
using testing::scratch;
using testing::slurp;
using Json = nlohmann::json;

const std::string kProfiles = std::string(MFMA_SOURCE_DIR) + "/corpus/profiles/";

// The built-in profile with every rule confirmed, so that its model gates on a device of another.
std::string confirmed_profile() {
  static const std::string file = [] {
    Json profile = Json::parse(slurp(kProfiles + "gfx950-candidate.json"));
    for (Json& rule : profile["rules"]) rule["status"] = "confirmed";
    std::ofstream(scratch() / "confirmed.json") << profile;
    return (scratch() / "confirmed.json").string();
  }();
  return file;
}

// Two rounds of cases, properties, programs, and failures: the device computes by another model.
const std::string kRun =
    "run --device emulated --opt O2 --builtin 'mfma_f32_16x16x32_*' --modifiers default --cases 40 --no-shrink"
    " --device-profile " +
    kProfiles + "seq.json --profile " + confirmed_profile() + " -q";

// But for times, what was typed, and what the cache of code objects had.
Json comparable(const std::filesystem::path& file) {
  Json json = Json::parse(slurp(file));
  for (const char* key : {"command", "started", "seconds"}) json.erase(key);
  for (Json& c : json["compilers"]) {
    c.erase("kernels_compiled");
    c.erase("kernels_from_cache");
  }
  return json;
}

class Resume : public ::testing::Test {
 protected:
  static std::filesystem::path file(const std::string& name) { return scratch() / name; }

  // The unbroken run, once.
  static const Json& unbroken() {
    static const Json report = [] {
      const Ran ran =
          program(kRun + " --json " + file("whole.json").string() + " --events " + file("whole.jsonl").string());
      EXPECT_EQ(ran.exit_code, 1) << ran.err;
      return comparable(file("whole.json"));
    }();
    return report;
  }

  static void expect_resumed_to_the_same(const std::string& log, const std::string& what) {
    const Ran ran = program(kRun + " --json " + file("resumed.json").string() + " --resume " + file(log).string());
    ASSERT_EQ(ran.exit_code, 1) << what << ran.err;
    EXPECT_EQ(comparable(file("resumed.json")), unbroken()) << what;
    const Ran shown = program("report -q --json " + file("of_log.json").string() + " " + file(log).string());
    EXPECT_EQ(shown.exit_code, 1) << what << shown.err;
    EXPECT_EQ(comparable(file("of_log.json")), unbroken()) << what << ": the log alone";
  }
};

TEST_F(Resume, ALogCutAnywhereIsResumedToTheSameReport) {
  ASSERT_GT(unbroken()["findings"].size(), 3u);
  ASSERT_GT(unbroken()["programs"].size(), 3u);
  const std::string log = slurp(file("whole.jsonl"));
  std::mt19937 random(3);
  for (int n = 0; n < 6; ++n) {
    const std::size_t first_line = log.find('\n') + 1;
    const std::size_t size = first_line + random() % (log.size() - first_line);
    std::ofstream(file("cut.jsonl"), std::ios::binary) << log.substr(0, size);
    expect_resumed_to_the_same("cut.jsonl", "cut at " + std::to_string(size));
  }
}

TEST_F(Resume, AKilledRunIsResumedToTheSameReport) {
  static_cast<void>(unbroken());
  for (const int milliseconds : {120, 400, 900}) {
    const std::filesystem::path log = file("killed.jsonl");
    std::filesystem::remove(log);
    const pid_t pid = fork();
    if (pid == 0) {
      const std::string command =
          "exec " + std::string(MFMA_PROGRAM) + " " + kRun + " --events " + log.string() + " >/dev/null 2>&1";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    // Killed before it began, it left nothing to go on with, and says so.
    const Ran shown = program("report -q " + log.string());
    if (slurp(log).find('\n') == std::string::npos) {
      EXPECT_EQ(shown.exit_code, 64);
      continue;
    }
    EXPECT_TRUE(shown.exit_code == 1 || shown.exit_code == 2) << shown.exit_code << shown.err;
    expect_resumed_to_the_same("killed.jsonl", "killed after " + std::to_string(milliseconds) + " ms");
  }
}

TEST_F(Resume, AnotherRunsLogIsRefused) {
  static_cast<void>(unbroken());
  const auto resumed = [&](const std::string& more) {
    return program(kRun + " --resume " + file("whole.jsonl").string() + more);
  };
  Ran ran = resumed(" --seed 2");
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("it is the log of another run: seed: 1 and 2"));
  ran = resumed(" --shard 1/2");
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("other instances, programs or shard"));
  ran = resumed(" --events " + file("new.jsonl").string());
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("give one"));
  ran = program(kRun + " --events " + file("whole.jsonl").string());
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is there already"));
  ran = program(kRun + " --resume " + file("none.jsonl").string());
  EXPECT_EQ(ran.exit_code, 64);
  EXPECT_THAT(ran.err, HasSubstr("none.jsonl: cannot be read"));
}

// --- told to end

TEST_F(Resume, ATimeBoundEndsARunWithWhatItHas) {
  const Ran ran = program("run --device emulated --max-time 0.1 --json " + file("short.json").string());
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("ended by time before it was done"));
  EXPECT_THAT(ran.out, HasSubstr("not run"));
  const Json json = Json::parse(slurp(file("short.json")));
  EXPECT_EQ(json["stopped"], "time");
  EXPECT_EQ(json["instances"].size(), 2354u);
  EXPECT_GT(json["totals"]["not_run"].get<int>(), 0);
  const Json& counts = json["totals"]["counts"];
  EXPECT_EQ(counts["cases"].get<int>() + counts["cases_left"].get<int>(), 2354 * 2 * 12);
}

TEST_F(Resume, EveryInstanceIsTouchedBeforeAnyIsRunInDepth) {
  // So many cases that the time is up in the second round; where a machine is so busy that it is up in the first, more
  // time.
  Ran ran;
  for (int seconds = 2; seconds <= 128 && ran.exit_code != 0; seconds *= 4) {
    ran = program(
        "run --device emulated --builtin mfma_f32_16x16x32_f16 --opt O2 --shape single --cases 1000000 --max-time " +
        std::to_string(seconds) + " --json " + file("deep.json").string());
  }
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const Json json = Json::parse(slurp(file("deep.json")));
  EXPECT_EQ(json["stopped"], "time");
  EXPECT_EQ(json["totals"]["not_run"], 0);
  for (const Json& i : json["instances"]) EXPECT_GE(i["counts"]["cases"].get<int>(), 12) << i;
  EXPECT_GT(json["totals"]["counts"]["cases_left"].get<int>(), 0);
}

TEST_F(Resume, ASignalEndsARunWithWhatItHas) {
  const std::filesystem::path json_file = file("signal.json"), log = file("signal.jsonl");
  const pid_t pid = fork();
  if (pid == 0) {
    const std::string command = "exec " + std::string(MFMA_PROGRAM) +
                                " run --device emulated --cases 100000 --builtin 'mfma_f32_16x16x32_*' -q --json " +
                                json_file.string() + " --events " + log.string() + " >/dev/null 2>&1";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  // Once it has begun.
  for (int n = 0; n < 600 && slurp(log).find("\"launch\"") == std::string::npos; ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(pid, SIGTERM);
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  const Json json = Json::parse(slurp(json_file));
  EXPECT_EQ(json["stopped"], "signal");
  EXPECT_EQ(json["exit_code"], WEXITSTATUS(status));
}

// --- shards

TEST_F(Resume, MergedShardsAreTheUnshardedRun) {
  static_cast<void>(unbroken());
  std::string files;
  for (int n = 1; n <= 3; ++n) {
    const std::string of_shard = file("shard" + std::to_string(n) + ".json").string();
    const Ran ran = program(kRun + " --shard " + std::to_string(n) + "/3 --json " + of_shard);
    ASSERT_TRUE(ran.exit_code == 1 || ran.exit_code == 0) << ran.err;
    files += " " + of_shard;
  }
  const Ran merged = program("merge -q --json " + file("merged.json").string() + files);
  EXPECT_EQ(merged.exit_code, 1) << merged.err;
  Json whole = unbroken(), together = comparable(file("merged.json"));
  // Which failing programs are examined more closely each shard decides for itself.
  for (Json* json : {&whole, &together}) {
    for (Json& f : (*json)["findings"]) {
      if (f.contains("shape")) f.erase("attribution"), f.erase("source");
    }
  }
  EXPECT_EQ(together, whole);
  const Ran refused = program("merge -q" + files + " " + file("shard1.json").string());
  EXPECT_EQ(refused.exit_code, 64);
  EXPECT_THAT(refused.err, HasSubstr("are both shard 1/3"));
}

}  // namespace
}  // namespace mfma::cli
