// A compiler with one planted fault: runs the real one, then changes a few bits of each kernel in the object it made.
//
// rewriting_compiler FAULT[@ARG] REAL_COMPILER ARGS...   The fault "none" changes nothing; "FAULT@-O2" is planted only
// where -O2 is among the arguments.
#include <elf.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "harness/gfx950/isa/decoder.h"
#include "harness/gfx950/object/code_object.h"

extern char** environ;

namespace {

using mfma::gfx950::Encoding;
using mfma::gfx950::Instruction;

using Words = std::array<std::uint32_t, 4>;
// Changes the words of an instruction; false when the fault has nothing to do there.
using Fault = std::function<bool(const Instruction&, Words&)>;

constexpr std::uint32_t kNop = 0xbf800000;

bool is_product(const Instruction& i) {
  return (i.encoding == Encoding::kMai || i.encoding == Encoding::kScaledMai) && i.mnemonic &&
         (std::strncmp(i.mnemonic, "v_mfma", 6) == 0);
}

// A change of the MAI pair of words, which are the last two of the instruction.
Fault on_product(std::function<bool(std::uint32_t&, std::uint32_t&)> change) {
  return [change](const Instruction& i, Words& w) {
    if (!is_product(i)) return false;
    const std::size_t first = i.encoding == Encoding::kScaledMai ? 2 : 0;
    return change(w[first], w[first + 1]);
  };
}

Fault on_scale(std::function<void(std::uint32_t&, std::uint32_t&)> change) {
  return [change](const Instruction& i, Words& w) {
    if (i.encoding != Encoding::kScaledMai) return false;
    change(w[0], w[1]);
    return true;
  };
}

Fault add(std::uint32_t low, std::uint32_t high) {
  return on_product([low, high](std::uint32_t& a, std::uint32_t& b) {
    a += low;
    b += high;
    return true;
  });
}

Fault flip(std::uint32_t low, std::uint32_t high) {
  return on_product([low, high](std::uint32_t& a, std::uint32_t& b) {
    a ^= low;
    b ^= high;
    return true;
  });
}

std::uint32_t swapped(std::uint32_t word, int i, int j) {
  const std::uint32_t differ = ((word >> i) ^ (word >> j)) & 1;
  return word ^ (differ << i) ^ (differ << j);
}

const std::map<std::string, Fault> kFaults = {
    {"none", [](const Instruction&, Words&) { return false; }},
    // VOP3P-MAI: VDST 7:0, CBSZ 10:8, ABID 14:11, ACC_CD 15, OP 22:16; SRC0 8:0, SRC1 17:9, SRC2 26:18, ACC 28:27, BLGP
    // 31:29.
    {"opcode-changed", on_product([](std::uint32_t& a, std::uint32_t&) {
       if ((a >> 16 & 0x7f) != 77) return false;  // 16x16x16 f16 becomes 16x16x16 bf16
       a = (a & ~0x7f0000U) | 97U << 16;
       return true;
     })},
    {"cbsz-dropped", on_product([](std::uint32_t& a, std::uint32_t&) {
       a &= ~0x700U;
       return true;
     })},
    {"abid-flipped", flip(1U << 11, 0)},
    {"blgp-flipped", flip(0, 1U << 29)},
    {"formats-swapped", on_product([](std::uint32_t& a, std::uint32_t& b) {
       const std::uint32_t cbsz = a >> 8 & 7, blgp = b >> 29;
       a = (a & ~0x700U) | blgp << 8;
       b = (b & ~(7U << 29)) | cbsz << 29;
       return true;
     })},
    {"source-a-off-by-one", add(0, 1)},
    {"source-b-off-by-two", add(0, 2U << 9)},
    {"source-c-off-by-two", add(0, 2U << 18)},
    {"destination-off-by-two", add(2, 0)},
    {"a-from-accumulators", flip(0, 1U << 27)},
    {"d-in-accumulators", flip(1U << 15, 0)},
    {"product-missing",
     [](const Instruction& i, Words& w) {
       if (!is_product(i)) return false;
       for (int n = 0; n < i.bytes / 4; ++n) w[static_cast<std::size_t>(n)] = kNop;
       return true;
     }},
    // v_mfma_ld_scale_b32: OP_SEL 12:11 of the first word, OP_SEL_HI 28:27 of the second; SRC0 8:0, SRC1 17:9.
    {"op-sel-swapped", on_scale([](std::uint32_t& a, std::uint32_t& b) {
       a = swapped(a, 11, 12);
       b = swapped(b, 27, 28);
     })},
    {"op-sel-high-dropped", on_scale([](std::uint32_t&, std::uint32_t& b) { b &= ~(3U << 27); })},
    {"scale-in-sgpr", on_scale([](std::uint32_t&, std::uint32_t& b) { b = (b & ~0x1ffU) | 4; })},
    {"scale-inline-constant", on_scale([](std::uint32_t&, std::uint32_t& b) { b = (b & ~(0x1ffU << 9)) | 129U << 9; })},
    {"scale-register-off-by-one", on_scale([](std::uint32_t&, std::uint32_t& b) { b += 1; })},
    {"scales-unused", on_product([](std::uint32_t& a, std::uint32_t&) {
       if ((a >> 16 & 0x7f) != 45 && (a >> 16 & 0x7f) != 46) return false;
       a &= ~(1U << 11);
       return true;
     })},
    {"nop-shortened",
     [](const Instruction& i, Words& w) {
       if ((w[0] & 0xffff0000U) != kNop || (w[0] & 0xffffU) == 0) return false;
       (void)i;
       --w[0];
       return true;
     }},
    {"nops-gone",
     [](const Instruction& i, Words& w) {
       if ((w[0] & 0xffff0000U) != kNop || (w[0] & 0xffffU) == 0) return false;
       (void)i;
       w[0] = kNop;
       return true;
     }},
};

// Where an address of a loaded object is in its file.
std::size_t offset_of(const std::vector<std::byte>& file, std::uint64_t address) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + header.e_phoff + static_cast<std::size_t>(i) * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address < segment.p_vaddr + segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return 0;
}

void plant(const Fault& fault, const std::string& path) {
  std::stringstream stream;
  stream << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string text = stream.str();
  std::vector<std::byte> file(text.size());
  std::memcpy(file.data(), text.data(), text.size());
  const auto object = mfma::gfx950::CodeObject::load(file);
  if (!object) return;  // --version, -### and the like
  for (const auto& [name, kernel] : (*object)->kernels()) {
    const auto code = mfma::gfx950::kernel_instructions(**object, name);
    if (!code) continue;
    for (const Instruction& i : *code) {
      Words words = i.dwords;
      if (!fault(i, words)) continue;
      std::memcpy(file.data() + offset_of(file, i.pc), words.data(), i.bytes);
      break;  // one place in each kernel
    }
  }
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string given = argc > 2 ? argv[1] : "";
  const std::size_t at = given.find('@');
  const std::string only_with = at == std::string::npos ? "" : given.substr(at + 1);
  const auto fault = kFaults.find(given.substr(0, at));
  if (fault == kFaults.end()) {
    std::fprintf(stderr, "rewriting_compiler: no such fault\n");
    return 64;
  }
  pid_t child = 0;
  if (posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ) != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  bool acts = only_with.empty();
  for (int i = 3; i < argc; ++i) acts = acts || only_with == argv[i];
  for (int i = 3; acts && i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "-o") == 0) plant(fault->second, argv[i + 1]);
  }
  return 0;
}
