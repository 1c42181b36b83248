#include "tests/gfx950/semantics_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "harness/gfx950/machine/machine.h"
#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

constexpr int kRounds = 12;

std::string kernel_text(const std::string& body) {
  return R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_load_dwordx8 s[16:23], s[8:9], 0x0
  v_lshlrev_b32_e32 v1, 5, v0
  global_load_dwordx4 v[4:7], v1, s[4:5]
  global_load_dwordx4 v[8:11], v1, s[4:5] offset:16
  v_mov_b32_e32 v12, 0
  v_mov_b32_e32 v13, 0
  v_mov_b32_e32 v14, 0
  v_mov_b32_e32 v15, 0
  s_mov_b64 s[24:25], 0
  s_mov_b64 s[26:27], 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_bitcmp1_b32 s23, 0
)" + body +
         R"(
  s_cselect_b32 s27, 1, 0
  s_mov_b64 exec, -1
  v_lshlrev_b32_e32 v1, 4, v0
  v_mov_b32_e32 v16, s24
  v_mov_b32_e32 v17, s25
  v_mov_b32_e32 v18, s26
  v_mov_b32_e32 v19, s27
  global_store_dwordx4 v1, v[12:15], s[6:7]
  global_store_dwordx4 v1, v[16:19], s[6:7] offset:1024
)";
}

std::uint32_t interesting(std::mt19937& random) {
  static constexpr std::uint32_t kEdges[] = {0,          1,          2,          0xffffffff, 0xfffffffe,
                                             0x7fffffff, 0x80000000, 0x80000001, 0x0000ffff, 0x00008000,
                                             0xffff8000, 0x00ff00ff, 0x3f800000, 0xc0490fdb, 0x7fc00000};
  switch (random() % 4) {
    case 0:
      return kEdges[random() % std::size(kEdges)];
    case 1:
      return static_cast<std::uint32_t>(random() % 70);
    default:
      return static_cast<std::uint32_t>(random());
  }
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void check_once(const CodeObject& object, const std::string& name, const Case& c, std::mt19937& random) {
  Lanes lanes;
  std::array<std::uint32_t, 8> scalars;
  for (auto& s : scalars) s = interesting(random);
  std::vector<std::uint32_t> input;
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    for (auto& v : lanes[lane].v) input.push_back(v = interesting(random));
    lanes[lane].s = scalars;
    lanes[lane].lane = lane;
  }
  Machine machine(nullptr);
  const std::uint64_t in = machine.allocate(input.size() * 4), out = machine.allocate(2048), s = machine.allocate(32);
  ASSERT_TRUE(machine.write(in, std::as_bytes(std::span(input))));
  ASSERT_TRUE(machine.write(s, std::as_bytes(std::span(scalars))));
  std::vector<std::byte> arguments(64);
  put(arguments, 0, in);
  put(arguments, 8, out);
  put(arguments, 16, s);
  const LaunchResult result = machine.launch(object, name, 1, arguments);
  ASSERT_EQ(result.stop, Stop::kCompleted) << result.message;
  std::array<std::uint32_t, 512> got;
  ASSERT_TRUE(machine.read(out, std::as_writable_bytes(std::span(got))));
  std::array<Outputs, 64> expected{};
  for (auto& outputs : expected) outputs.scc = (scalars[7] & 1) != 0;
  c.expected(lanes, expected);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const std::array<std::uint32_t, 4> v{got[lane * 4], got[lane * 4 + 1], got[lane * 4 + 2], got[lane * 4 + 3]};
    ASSERT_EQ(v, expected[lane].v) << "lane " << lane
                                   << fmt::format(" v4..: {:#x} {:#x} {:#x} s16..: {:#x} {:#x} {:#x}", lanes[lane].v[0],
                                                  lanes[lane].v[1], lanes[lane].v[2], scalars[0], scalars[1],
                                                  scalars[2]);
  }
  const std::array<std::uint32_t, 4> scalar_results{got[256], got[257], got[258], got[259]};
  const Outputs& first = expected[0];
  const std::array<std::uint32_t, 4> wanted{first.s[0], first.s[1], first.s[2], first.scc ? 1u : 0u};
  ASSERT_EQ(scalar_results, wanted) << fmt::format("s16..: {:#x} {:#x} {:#x} {:#x}", scalars[0], scalars[1], scalars[2],
                                                   scalars[3]);
}

}  // namespace

Case vector_case(std::string body, std::function<void(const Inputs&, Outputs&)> expected) {
  return {std::move(body), [expected = std::move(expected)](const Lanes& lanes, std::array<Outputs, 64>& out) {
            for (unsigned lane = 0; lane < lanes.size(); ++lane) expected(lanes[lane], out[lane]);
          }};
}

Case scalar_case(std::string body, std::function<void(const Inputs&, Outputs&)> expected) {
  return {std::move(body), [expected = std::move(expected)](const Lanes& lanes, std::array<Outputs, 64>& out) {
            expected(lanes[0], out[0]);
          }};
}

void check_cases(const std::vector<Case>& cases) {
  std::string source;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    source += assembly_kernel(fmt::format("case{}", i), kernel_text(cases[i].body), 256, 4096);
  }
  const auto object = load_code_object(assemble(source));
  ASSERT_TRUE(object) << object.error();
  std::mt19937 random(42);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].body);
    for (int round = 0; round < kRounds && !::testing::Test::HasFatalFailure(); ++round) {
      check_once(**object, fmt::format("case{}", i), cases[i], random);
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace mfma::gfx950::test
