// Files that are not what they say: every one is refused with a line, or loads and runs without harm.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/machine/machine.h"
#include "tests/gfx950/sample_kernels.h"
#include "tests/gfx950/toolchain.h"

namespace mfma::gfx950::test {
namespace {

using ::testing::HasSubstr;

const Bytes& small_object() {
  static const Bytes object =
      assemble(assembly_kernel("k", "s_nop 0\nv_mov_b32 v1, v0") + assembly_kernel("second", ""));
  return object;
}

const Bytes& compiled_object() {
  static const Bytes object = [] {
    auto kernels = sample_kernels();
    kernels.resize(2);
    return compile_hip(sample_source(kernels, Registers::kCompilerChoice), "O0");
  }();
  return object;
}

// Loads; when that works, runs every kernel on nothing in particular. True when it loaded.
bool survives(const Bytes& bytes) {
  const auto object = load_code_object(bytes);
  if (!object) {
    EXPECT_FALSE(object.error().empty());
    EXPECT_EQ(object.error().find('\n'), std::string::npos) << object.error();
    return false;
  }
  static Machine machine(nullptr);
  for (const std::string& name : kernel_names(**object)) {
    const std::vector<std::byte> arguments(64);
    const LaunchResult result = machine.launch(**object, name, 1, arguments, 2000);
    EXPECT_TRUE(result.stop == Stop::kCompleted || !result.message.empty());
    const auto listed = kernel_instructions(**object, name);
    EXPECT_TRUE(listed);
  }
  return true;
}

template <class T>
void put(Bytes& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

template <class T>
T get(const Bytes& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string error_of(const Bytes& bytes) {
  const auto object = load_code_object(bytes);
  return object ? "" : object.error();
}

TEST(Hostile, TheObjectsThemselvesLoad) {
  EXPECT_EQ(error_of(small_object()), "");
  EXPECT_EQ(error_of(compiled_object()), "");
}

TEST(Hostile, TruncatedAtEveryLength) {
  const Bytes& whole = small_object();
  std::size_t loaded = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    loaded += survives(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))) ? 1u : 0u;
  }
  EXPECT_EQ(loaded, 0u) << "the section header table is at the end of the file, so that no shorter one is whole";
}

TEST(Hostile, TruncatedCompiledObject) {
  const Bytes& whole = compiled_object();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_FALSE(survives(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))));
  }
}

// One byte of the file takes each of a few values, over all of the headers and tables.
TEST(Hostile, EveryByteChanged) {
  const Bytes& whole = small_object();
  std::size_t refused = 0, files = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : {0x00u, 0x7fu, 0xffu}) {
      Bytes changed = whole;
      if (changed[at] == std::byte(value)) continue;
      changed[at] = std::byte(value);
      ++files;
      refused += survives(changed) ? 0u : 1u;
    }
  }
  EXPECT_GT(files, 5000u);
  EXPECT_GT(refused, 100u);
}

TEST(Hostile, ManyBytesChanged) {
  std::mt19937 random(11);
  std::size_t loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    Bytes changed = i % 2 == 0 ? small_object() : compiled_object();
    const unsigned changes = 1 + static_cast<unsigned>(random() % 12);
    for (unsigned n = 0; n < changes; ++n) changed[random() % changed.size()] = std::byte(random() & 0xff);
    loaded += survives(changed) ? 1u : 0u;
  }
  EXPECT_GT(loaded, 100u);
}

// 64-bit fields of headers set to what overflows sums.
TEST(Hostile, HugeFields) {
  std::mt19937 random(12);
  constexpr std::uint64_t kHuge[] = {
      ~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 63, std::uint64_t{1} << 40,
      0xffffffff,        0x7fffffffffffffff,     0xfffffffffffff000};
  const Bytes& whole = small_object();
  for (std::size_t at = 0; at + 8 <= whole.size(); at += 8) {
    for (const std::uint64_t value : kHuge) {
      Bytes changed = whole;
      put(changed, at, value);
      survives(changed);
    }
  }
}

TEST(Hostile, SaysWhatIsWrong) {
  const auto changed = [](std::size_t offset, auto value) {
    Bytes bytes = small_object();
    put(bytes, offset, value);
    return error_of(bytes);
  };
  EXPECT_THAT(error_of({}), HasSubstr("too few"));
  EXPECT_THAT(changed(0, std::uint8_t{0}), HasSubstr("no ELF magic"));
  EXPECT_THAT(changed(4, std::uint8_t{1}), HasSubstr("64-bit"));
  EXPECT_THAT(changed(5, std::uint8_t{2}), HasSubstr("little-endian"));
  EXPECT_THAT(changed(7, std::uint8_t{0}), HasSubstr("OS ABI"));
  EXPECT_THAT(changed(8, std::uint8_t{9}), HasSubstr("ABI version 9"));
  EXPECT_THAT(changed(16, std::uint16_t{1}), HasSubstr("not a linked shared object"));
  EXPECT_THAT(changed(18, std::uint16_t{62}), HasSubstr("ELF machine 62, not AMDGPU"));
  EXPECT_THAT(changed(48, std::uint32_t{0x54c}), HasSubstr("another processor than gfx950"));
  EXPECT_THAT(changed(32, std::uint64_t{1} << 50), HasSubstr("program header table lies outside the file"));
  EXPECT_THAT(changed(40, std::uint64_t{1} << 50), HasSubstr("section header table lies outside the file"));
  Bytes bundle(200, std::byte{'x'});
  std::memcpy(bundle.data(), "__CLANG_OFFLOAD_BUNDLE__", 24);
  EXPECT_THAT(error_of(bundle), HasSubstr("--no-gpu-bundle-output"));
}

struct Segments {
  std::size_t table;
  unsigned count;
};

Segments program_headers(const Bytes& bytes) { return {get<std::uint64_t>(bytes, 32), get<std::uint16_t>(bytes, 56)}; }

TEST(Hostile, BadSegments) {
  const Bytes& whole = small_object();
  const Segments segments = program_headers(whole);
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < segments.count; ++i) {
    if (get<std::uint32_t>(whole, segments.table + i * 56) == 1) loads.push_back(segments.table + i * 56);
  }
  ASSERT_GE(loads.size(), 2u);
  const auto changed = [&](std::size_t offset, std::uint64_t value) {
    Bytes bytes = whole;
    put(bytes, loads[1] + offset, value);
    return error_of(bytes);
  };
  EXPECT_THAT(changed(8, whole.size()), HasSubstr("outside the file"));            // p_offset
  EXPECT_THAT(changed(16, std::uint64_t{1} << 50), HasSubstr("address or size"));  // p_vaddr
  EXPECT_THAT(changed(16, ~std::uint64_t{0}), HasSubstr("address or size"));
  EXPECT_THAT(changed(32, ~std::uint64_t{0}), HasSubstr("more bytes in the file than in memory"));  // p_filesz
  EXPECT_THAT(changed(40, std::uint64_t{1} << 39), HasSubstr("bytes of memory"));                   // p_memsz
  EXPECT_THAT(changed(16, get<std::uint64_t>(whole, loads[0] + 16)), HasSubstr("overlap"));
}

// Fields of the descriptor: the file stays well formed, the kernel asks for nonsense.
TEST(Hostile, BadDescriptors) {
  const Bytes& whole = small_object();
  // Found by its contents: kernarg size 64 at +8 and the entry offset at +16.
  std::size_t descriptor = 0;
  for (std::size_t at = 0; at + 64 <= whole.size(); at += 64) {
    if (get<std::uint32_t>(whole, at + 8) == 64 && get<std::uint16_t>(whole, at + 56) == 8) descriptor = at;
  }
  ASSERT_NE(descriptor, 0u);
  for (std::size_t field = 0; field < 64; field += 4) {
    for (const std::uint32_t value : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      Bytes changed = whole;
      put(changed, descriptor + field, value);
      survives(changed);
    }
  }
  const auto refusal = [&](std::size_t field, std::uint32_t value) {
    Bytes changed = whole;
    put(changed, descriptor + field, value);
    const auto object = load_code_object(changed);
    if (!object) return object.error();
    Machine machine(nullptr);
    return machine.launch(**object, "k", 1, {}).message + machine.launch(**object, "second", 1, {}).message;
  };
  EXPECT_THAT(refusal(0, 0x7fffffff), HasSubstr("bytes of LDS"));
  EXPECT_THAT(refusal(4, 0x7fffffff), HasSubstr("bytes of private memory"));
  EXPECT_THAT(refusal(8, 0x7fffffff), HasSubstr("bytes of arguments"));
  Bytes changed = whole;
  put(changed, descriptor + 16, std::int64_t{1} << 30);
  EXPECT_THAT(error_of(changed), HasSubstr("no aligned address of an executable segment"));
}

TEST(Hostile, OtherFlagsOfGfx950AreAccepted) {
  for (const std::uint32_t flags : {0x04fu, 0x14fu, 0x54fu, 0xa4fu, 0xf4fu}) {  // xnack and sramecc any, off or on
    Bytes bytes = small_object();
    put(bytes, 48, flags);
    EXPECT_EQ(error_of(bytes), "") << flags;
  }
}

}  // namespace
}  // namespace mfma::gfx950::test
