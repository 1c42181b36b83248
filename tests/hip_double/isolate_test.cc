// The emulated device in a worker process, and the worker's side of the conversation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <deque>
#include <thread>

#include "harness/devices/emulated.h"
#include "harness/devices/probe_kernel.h"
#include "harness/devices/worker.h"
#include "tests/hip_double/support.h"

namespace mfma::hip_double {
namespace {

using ::testing::HasSubstr;
using namespace testing;
using namespace devices;

TEST(Isolate, GivesTheSameReport) {
  Json reports[2];
  for (const bool isolate : {false, true}) {
    Setting s;
    s.device = "emulated";
    s.arguments = isolate ? "--isolate" : "";
    const DoubleRun r = run_with_double(s);
    ASSERT_EQ(r.ran.exit_code, 0) << r.ran.err;
    reports[isolate] = r.report;
    for (const char* name : {"command", "started", "seconds", "compilers"}) reports[isolate].erase(name);
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(Isolate, WorkerModeIsNotForUsers) {
  EXPECT_EQ(cli::testing::program("device-worker").exit_code, 64);
  EXPECT_EQ(cli::testing::program("device-worker list").exit_code, 64);
}

// The probe's object is one that the emulated device runs, and a wrong bit in what it gives is seen.
TEST(Probe, IsRightOnTheEmulatedDeviceAndSeesAWrongBit) {
  const catalogue::Builtin* builtin = catalogue::find_builtin("mfma_f32_16x16x4f32");
  const auto device = make_emulated_device(oracles::default_profile(), std::vector{builtin});
  ASSERT_TRUE(device);
  const auto module = (*device)->load(probe_object());
  ASSERT_TRUE(module) << module.error();
  const cases::Case c = probe_case();
  LaunchOutcome outcome = (*module)->run(kProbeKernel, {&c, 1});
  EXPECT_EQ(wrong_with_probe(outcome), "");
  for (const int lane : {0, 17, 63}) {
    for (int reg = 0; reg < 4; ++reg) {
      LaunchOutcome wrong = outcome;
      wrong.d[0].at(lane, reg) ^= 0x00800000;
      EXPECT_THAT(wrong_with_probe(wrong), HasSubstr(fmt::format("in lane {}, register {}", lane, reg)));
    }
  }
  outcome.status = LaunchStatus::kHang;
  EXPECT_THAT(wrong_with_probe(outcome), HasSubstr("did not end"));
}

// Whatever is cut off or changed in an answer, it is not taken for one.
TEST(Messages, NoPrefixOfAnAnswerIsAnAnswer) {
  const cases::Case c = probe_case();
  LaunchOutcome outcome;
  outcome.d.push_back(c.c);
  outcome.wait_states.push_back({true, "W-1", "too early"});
  const std::vector<std::byte> whole = worker::encode(outcome);
  const auto back = worker::decode_outcome(whole, 1, c.c.registers);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->d, outcome.d);
  EXPECT_EQ(back->wait_states.at(0).message, "too early");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(worker::decode_outcome(std::span(whole).first(size), 1, c.c.registers)) << size;
  }
  const std::vector<cases::Case> two = {c, c};
  EXPECT_FALSE(worker::decode_outcome(whole, 2, c.c.registers)) << "fewer results than cases";
  EXPECT_FALSE(worker::decode_outcome(whole, 1, c.c.registers + 1)) << "results of another size";

  const std::vector<std::byte> request = worker::encode_run(7, "k", two);
  const auto read = worker::decode_run(request);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->module, 7u);
  EXPECT_EQ(read->cases.at(1).c, c.c);
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_FALSE(worker::decode_run(std::span(request).first(size))) << size;
  }
}

// A process that is killed from outside is seen to be; a device of it does its work.
TEST(Worker, KilledIsSeenAndWellRuns) {
  std::vector<std::string> notes;
  WorkerOptions options;
  options.process.program = MFMA_PROGRAM;
  options.process.arguments = {"device-worker", "emulated", "per-set", ""};
  options.note = [&](const std::string& line) { notes.push_back(line); };
  auto process = worker::Process::start(options.process);
  ASSERT_TRUE(process) << process.error();
  EXPECT_EQ((*process)->receive(worker::MessageType::kHello, options.start_timeout).kind,
            worker::Answer::Kind::kMessage);
  ASSERT_EQ(kill((*process)->pid(), SIGKILL), 0);
  const auto answer =
      (*process)->ask(worker::MessageType::kLoad, {}, worker::MessageType::kLoaded, options.launch_timeout);
  EXPECT_EQ(answer.kind, worker::Answer::Kind::kEnded);
  EXPECT_THAT(answer.message, HasSubstr("signal 9"));
  EXPECT_TRUE((*process)->end());

  const auto device = make_worker_device(options);
  ASSERT_TRUE(device) << device.error();
  EXPECT_TRUE((*device)->info().is_emulated);
  const auto module = (*device)->load(probe_object());
  ASSERT_TRUE(module) << module.error();
  const cases::Case c = probe_case();
  EXPECT_EQ(wrong_with_probe((*module)->run(kProbeKernel, {&c, 1})), "");
  EXPECT_EQ((*module)->run("no_such_kernel", {&c, 1}).status, LaunchStatus::kInconclusive);
  EXPECT_EQ(wrong_with_probe((*module)->run(kProbeKernel, {&c, 1})), "");
  EXPECT_TRUE(notes.empty()) << notes[0];
}

// The probe with another C in each case, so that results that change places show.
cases::Case probe_with(std::uint32_t bits) {
  cases::Case c = probe_case();
  for (std::uint32_t& dword : c.c.dwords) dword = bits;
  return c;
}

class LaunchesUnderWay : public ::testing::TestWithParam<std::size_t> {
 protected:
  LaunchesUnderWay() {
    options_.process.program = MFMA_PROGRAM;
    options_.process.arguments = {"device-worker", "emulated", "per-set", ""};
    options_.in_flight = GetParam();
    options_.note = [this](const std::string& line) { notes_.push_back(line); };
    auto device = make_worker_device(options_);
    EXPECT_TRUE(device) << device.error();
    device_ = *std::move(device);
    auto module = device_->load(probe_object());
    EXPECT_TRUE(module) << module.error();
    module_ = *std::move(module);
    for (const std::uint32_t bits : {0x3f800000u, 0x40000000u, 0x40400000u, 0x40800000u, 0x40a00000u}) {
      cases_.push_back(probe_with(bits));
      expected_.push_back(module_->run(kProbeKernel, {&cases_.back(), 1}).d.at(0));
    }
  }
  std::unique_ptr<Launch> submit(std::size_t n) { return module_->submit(kProbeKernel, {&cases_[n], 1}); }

  WorkerOptions options_;
  std::vector<std::string> notes_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
  std::deque<cases::Case> cases_;
  std::vector<catalogue::RegisterImage> expected_;
};

TEST_P(LaunchesUnderWay, EachGivesItsOwnResult) {
  std::vector<std::unique_ptr<Launch>> launches;
  for (std::size_t n = 0; n < cases_.size(); ++n) launches.push_back(submit(n));
  for (std::size_t n = 0; n < cases_.size(); ++n) EXPECT_EQ(launches[n]->collect().d.at(0), expected_[n]) << n;
  EXPECT_NE(expected_[0], expected_[1]);
}

// Whatever is done between: another launch, one that is dropped, a program, another object.
TEST_P(LaunchesUnderWay, OthersBetweenDoNotDisturb) {
  auto first = submit(0);
  auto dropped = submit(1);
  dropped.reset();
  auto second = submit(2);
  EXPECT_EQ(module_->run(kProbeKernel, {&cases_[3], 1}).d.at(0), expected_[3]);
  auto other = device_->load(probe_object());
  ASSERT_TRUE(other) << other.error();
  auto third = (*other)->submit(kProbeKernel, {&cases_[4], 1});
  EXPECT_EQ(third->collect().d.at(0), expected_[4]);
  EXPECT_EQ(second->collect().d.at(0), expected_[2]);
  EXPECT_EQ(first->collect().d.at(0), expected_[0]);
  third.reset();
  other->reset();
  EXPECT_EQ(submit(1)->collect().d.at(0), expected_[1]);
  EXPECT_TRUE(notes_.empty()) << notes_[0];
}

TEST_P(LaunchesUnderWay, SeveralThreadsShareTheDevice) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < 20; ++n) {
        const std::size_t a = (t + n) % cases_.size(), b = (t + n + 1) % cases_.size();
        auto one = submit(a), two = submit(b);
        if (one->collect().d.at(0) != expected_[a]) ++wrong;
        if (n % 3 == 0) continue;  // two is dropped
        if (two->collect().d.at(0) != expected_[b]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(All, LaunchesUnderWay, ::testing::Values(1, 2));

// Programs over the same channel: what is cut off or does not fit is no answer.
TEST(Messages, NoPrefixOfAProgramsAnswerIsAnAnswer) {
  ProgramLaunch launch;
  launch.inputs = {{1, 2, 3}, {}};
  launch.outputs = {2, 0, 1};
  launch.cases = 5;
  launch.trips = 7;
  const std::vector<std::byte> request = worker::encode_run_program(9, "k", launch);
  const auto read = worker::decode_run_program(request);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->module, 9u);
  EXPECT_EQ(read->launch.inputs, launch.inputs);
  EXPECT_EQ(read->launch.outputs, launch.outputs);
  EXPECT_EQ(read->launch.trips, 7u);
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_FALSE(worker::decode_run_program(std::span(request).first(size))) << size;
  }
  LaunchOutcome outcome;
  outcome.outputs = {{4, 5}, {}, {6}};
  const std::vector<std::byte> answer = worker::encode(outcome);
  const auto back = worker::decode_program_outcome(answer, launch);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->outputs, outcome.outputs);
  for (std::size_t size = 0; size < answer.size(); ++size) {
    EXPECT_FALSE(worker::decode_program_outcome(std::span(answer).first(size), launch)) << size;
  }
  launch.outputs = {2, 0, 2};
  EXPECT_FALSE(worker::decode_program_outcome(answer, launch)) << "an output of another size";
}

TEST(Worker, AProgramThatIsNoWorkerIsRefusedInTime) {
  WorkerOptions options;
  options.start_timeout = std::chrono::milliseconds(500);
  options.process.program = "/bin/true";
  EXPECT_THAT(make_worker_device(options).error(), HasSubstr("exit code 0"));
  options.process.program = "/nowhere/at/all";
  EXPECT_THAT(make_worker_device(options).error(), HasSubstr("cannot start"));
  options.process.program = "/bin/sleep";
  options.process.arguments = {"100"};
  EXPECT_THAT(make_worker_device(options).error(), HasSubstr("no answer within 0.5 s"));
  options.process.program = "/bin/sh";
  options.process.arguments = {"-c", "head -c 100000 /dev/zero >&3"};
  EXPECT_THAT(make_worker_device(options).error(), HasSubstr("garbage"));
}

}  // namespace
}  // namespace mfma::hip_double
