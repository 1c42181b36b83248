#include "harness/gfx950/object/code_object.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/gfx950/isa/decoder.h"

namespace mfma::gfx950 {
namespace {

constexpr unsigned kMachineAmdGpu = 224;  // EM_AMDGPU
constexpr unsigned kOsAbiHsa = 64;        // ELFOSABI_AMDGPU_HSA
constexpr unsigned kFlagsArch = 0xff;     // EF_AMDGPU_MACH
constexpr unsigned kArchGfx950 = 0x4f;
constexpr unsigned kFirstAbi = 2, kLastAbi = 4;  // EI_ABIVERSION of code object versions 4 to 6
constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 27;
constexpr std::uint64_t kHighestAddress = std::uint64_t{1} << 40;
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kDescriptorSuffix = ".kd";

using Error = tl::unexpected<std::string>;

template <class... Args>
Error refuse(fmt::format_string<Args...> format, Args&&... args) {
  return Error(fmt::format(format, std::forward<Args>(args)...));
}

// True when [offset, offset + size) lies within [0, limit): written so that nothing can wrap.
bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

struct Symbol {
  std::uint64_t value = 0, size = 0;
};

}  // namespace

class Loader {
 public:
  explicit Loader(std::span<const std::byte> file) : file_(file) {}

  tl::expected<std::shared_ptr<const CodeObject>, std::string> run() {
    if (auto bad = identify()) return Error(*bad);
    // libelf may write to its image while it reads; it gets a copy of its own.
    image_.assign(file_.begin(), file_.end());
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(reinterpret_cast<char*>(image_.data()), image_.size()));
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF) return refuse("code object: not an ELF file");
    using Part = std::optional<std::string> (Loader::*)();
    constexpr Part kParts[] = {&Loader::header, &Loader::segments, &Loader::sections, &Loader::kernels};
    for (const Part part : kParts) {
      if (auto bad = (this->*part)()) return Error("code object: " + *bad);
    }
    return object_;
  }

 private:
  std::optional<std::string> identify() const {
    const auto starts_with = [&](std::string_view magic) {
      return file_.size() >= magic.size() && std::memcmp(file_.data(), magic.data(), magic.size()) == 0;
    };
    if (starts_with(kBundleMagic)) {
      return "code object: this is an offload bundle; compile with --no-gpu-bundle-output, or unbundle it first";
    }
    if (file_.size() < sizeof(Elf64_Ehdr)) {
      return fmt::format("code object: {} bytes are too few for an ELF header", file_.size());
    }
    if (!starts_with(ELFMAG)) return "code object: not an ELF file (no ELF magic at offset 0)";
    return std::nullopt;
  }

  std::optional<std::string> header() {
    GElf_Ehdr h;
    if (gelf_getehdr(elf_.get(), &h) == nullptr) return "the ELF header cannot be read";
    if (h.e_ident[EI_CLASS] != ELFCLASS64) return "not a 64-bit ELF file";
    if (h.e_ident[EI_DATA] != ELFDATA2LSB) return "not a little-endian ELF file";
    if (h.e_machine != kMachineAmdGpu) return fmt::format("made for ELF machine {}, not AMDGPU (224)", h.e_machine);
    if (h.e_ident[EI_OSABI] != kOsAbiHsa) return fmt::format("OS ABI {} is not HSA (64)", h.e_ident[EI_OSABI]);
    const unsigned abi = h.e_ident[EI_ABIVERSION];
    if (abi < kFirstAbi || abi > kLastAbi) {
      return fmt::format("ABI version {} is not that of code object versions 4 to 6 (2 to 4)", abi);
    }
    if ((h.e_flags & kFlagsArch) != kArchGfx950) {
      return fmt::format("e_flags {:#x} say another processor than gfx950 (low byte 0x4f)", h.e_flags);
    }
    if (h.e_type != ET_DYN) return fmt::format("ELF type {} is not a linked shared object (3)", h.e_type);
    if (h.e_phnum != 0 && h.e_phentsize != sizeof(Elf64_Phdr)) return "program header entries of a strange size";
    if (!within(h.e_phoff, std::uint64_t{h.e_phnum} * sizeof(Elf64_Phdr), image_.size())) {
      return "the program header table lies outside the file";
    }
    if (h.e_shnum != 0 && h.e_shentsize != sizeof(Elf64_Shdr)) return "section header entries of a strange size";
    if (!within(h.e_shoff, std::uint64_t{h.e_shnum} * sizeof(Elf64_Shdr), image_.size())) {
      return "the section header table lies outside the file";
    }
    program_headers_ = h.e_phnum;
    section_headers_ = h.e_shnum;
    return std::nullopt;
  }

  std::optional<std::string> segments() {
    std::uint64_t total = 0;
    for (unsigned i = 0; i < program_headers_; ++i) {
      GElf_Phdr p;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &p) == nullptr) {
        return fmt::format("program header {} cannot be read", i);
      }
      if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
      if (p.p_filesz > p.p_memsz) return fmt::format("segment {} has more bytes in the file than in memory", i);
      if (!within(p.p_offset, p.p_filesz, image_.size())) return fmt::format("segment {} lies outside the file", i);
      if (!within(p.p_vaddr, p.p_memsz, kHighestAddress)) {
        return fmt::format("segment {} has an address or size beyond {:#x}", i, kHighestAddress);
      }
      total += p.p_memsz;
      if (total > kLargestImage) return fmt::format("segments need more than {} bytes of memory", kLargestImage);
      Segment segment;
      segment.address = p.p_vaddr;
      segment.executable = (p.p_flags & PF_X) != 0;
      segment.bytes.resize(p.p_memsz);
      if (p.p_filesz != 0) std::memcpy(segment.bytes.data(), file_.data() + p.p_offset, p.p_filesz);
      // Only bytes of the file are code: a huge p_memsz must not become gigabytes of decoded zeros.
      if (segment.executable) keep_code(p.p_vaddr, std::span(segment.bytes).first(p.p_filesz));
      object_->segments_.push_back(std::move(segment));
    }
    auto& all = object_->segments_;
    std::sort(all.begin(), all.end(), [](const Segment& a, const Segment& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].address < all[i - 1].end()) {
        return fmt::format("segments at {:#x} and {:#x} overlap", all[i - 1].address, all[i].address);
      }
    }
    if (object_->code_words_.empty()) return "no executable segment";
    return std::nullopt;
  }

  void keep_code(std::uint64_t address, std::span<const std::byte> bytes) {
    const std::uint64_t skip = (4 - address % 4) % 4;
    std::vector<std::uint32_t> words;
    if (bytes.size() > skip) {
      words.resize((bytes.size() - skip) / 4);
      if (!words.empty()) std::memcpy(words.data(), bytes.data() + skip, words.size() * 4);
    }
    object_->code_addresses_.push_back(address + skip);
    object_->code_words_.push_back(std::move(words));
  }

  std::optional<std::string> sections() {
    for (unsigned i = 1; i < section_headers_; ++i) {
      GElf_Shdr s;
      Elf_Scn* section = elf_getscn(elf_.get(), i);
      if (section == nullptr || gelf_getshdr(section, &s) == nullptr) {
        return fmt::format("section header {} cannot be read", i);
      }
      if (s.sh_type == SHT_REL || s.sh_type == SHT_RELA) {
        if (s.sh_size != 0) return fmt::format("section {} holds relocations, which are not modelled", i);
      }
      if (s.sh_type != SHT_DYNSYM && s.sh_type != SHT_SYMTAB) continue;
      if (auto bad = symbols(i, s)) return bad;
    }
    return std::nullopt;
  }

  std::optional<std::string> symbols(unsigned index, const GElf_Shdr& table) {
    if (table.sh_entsize != sizeof(Elf64_Sym))
      return fmt::format("symbol table {} has entries of a strange size", index);
    if (!within(table.sh_offset, table.sh_size, image_.size())) {
      return fmt::format("symbol table {} lies outside the file", index);
    }
    GElf_Shdr strings;
    Elf_Scn* section = table.sh_link < section_headers_ ? elf_getscn(elf_.get(), table.sh_link) : nullptr;
    if (section == nullptr || gelf_getshdr(section, &strings) == nullptr || strings.sh_type != SHT_STRTAB) {
      return fmt::format("symbol table {} has no string table", index);
    }
    if (!within(strings.sh_offset, strings.sh_size, image_.size())) {
      return fmt::format("the string table of symbol table {} lies outside the file", index);
    }
    const std::string_view names(reinterpret_cast<const char*>(file_.data()) + strings.sh_offset, strings.sh_size);
    for (std::uint64_t i = 1; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file_.data() + table.sh_offset + i * sizeof symbol, sizeof symbol);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0) continue;
      if (symbol.st_name >= names.size()) return fmt::format("symbol {} has its name outside the string table", i);
      const std::size_t end = names.find('\0', symbol.st_name);
      if (end == std::string_view::npos) return fmt::format("the name of symbol {} does not end", i);
      const std::string_view name = names.substr(symbol.st_name, end - symbol.st_name);
      symbols_[std::string(name)] = {symbol.st_value, symbol.st_size};
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) object_->functions_.emplace(symbol.st_value, name);
    }
    return std::nullopt;
  }

  const std::byte* bytes_at(std::uint64_t address, std::uint64_t size) const {
    for (const Segment& segment : object_->segments_) {
      if (address < segment.address) continue;
      if (within(address - segment.address, size, segment.bytes.size())) {
        return segment.bytes.data() + (address - segment.address);
      }
    }
    return nullptr;
  }

  std::optional<std::string> kernels() {
    for (const auto& [name, symbol] : symbols_) {
      if (!name.ends_with(kDescriptorSuffix)) continue;
      const std::string kernel = name.substr(0, name.size() - kDescriptorSuffix.size());
      if (auto bad = add_kernel(kernel, symbol)) return fmt::format("kernel '{}': {}", kernel, *bad);
    }
    if (object_->kernels_.empty()) return "no kernel descriptor (a symbol NAME.kd)";
    return std::nullopt;
  }

  std::optional<std::string> add_kernel(const std::string& name, const Symbol& symbol) {
    const std::byte* bytes = bytes_at(symbol.value, kKernelDescriptorBytes);
    if (bytes == nullptr) return fmt::format("its descriptor at {:#x} lies outside every segment", symbol.value);
    if (symbol.size != kKernelDescriptorBytes) return fmt::format("its descriptor has {} bytes, not 64", symbol.size);
    const KernelDescriptor descriptor =
        parse_kernel_descriptor(std::span<const std::byte, kKernelDescriptorBytes>(bytes, kKernelDescriptorBytes));
    const std::uint64_t entry = symbol.value + static_cast<std::uint64_t>(descriptor.entry_offset);
    const auto code = object_->code_at(entry);
    if (code.empty()) return fmt::format("its entry {:#x} is no aligned address of an executable segment", entry);
    const auto function = symbols_.find(name);
    if (function == symbols_.end()) return "it has a descriptor but no symbol of its own";
    if (function->second.value != entry) {
      return fmt::format("its symbol is at {:#x} but its descriptor says {:#x}", function->second.value, entry);
    }
    const std::uint64_t available = code.size() * 4, size = function->second.size;
    if (size > available) return fmt::format("its {} bytes of code go beyond the segment", size);
    auto& kernel = object_->kernels_[name];
    kernel.descriptor = descriptor;
    kernel.entry = entry;
    kernel.end = entry + (size == 0 ? available : size);
    return std::nullopt;
  }

  std::span<const std::byte> file_;
  std::vector<std::byte> image_;
  std::unique_ptr<Elf, ElfCloser> elf_;
  std::shared_ptr<CodeObject> object_ = std::make_shared<CodeObject>();
  std::map<std::string, Symbol> symbols_;
  unsigned program_headers_ = 0, section_headers_ = 0;
};

tl::expected<std::shared_ptr<const CodeObject>, std::string> CodeObject::load(std::span<const std::byte> file) {
  return Loader(file).run();
}

std::span<const std::uint32_t> CodeObject::code_at(std::uint64_t pc) const {
  if (pc % 4 != 0) return {};
  for (std::size_t i = 0; i < code_words_.size(); ++i) {
    if (pc < code_addresses_[i]) continue;
    const std::uint64_t word = (pc - code_addresses_[i]) / 4;
    if (word < code_words_[i].size()) return std::span(code_words_[i]).subspan(word);
  }
  return {};
}

std::vector<CodeRange> CodeObject::code_ranges() const {
  std::vector<CodeRange> ranges;
  for (std::size_t i = 0; i < code_words_.size(); ++i) {
    ranges.push_back({code_addresses_[i], code_addresses_[i] + code_words_[i].size() * 4});
  }
  return ranges;
}

const void* CodeObject::Kernel::derived(const std::function<std::shared_ptr<const void>()>& make) const {
  std::call_once(once_, [&] { derived_ = make(); });
  return derived_.get();
}

tl::expected<std::shared_ptr<const CodeObject>, std::string> load_code_object(std::span<const std::byte> file) {
  return CodeObject::load(file);
}

std::vector<std::string> kernel_names(const CodeObject& object) {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : object.kernels()) names.push_back(name);
  return names;
}

tl::expected<CodeRange, std::string> kernel_range(const CodeObject& object, std::string_view kernel) {
  const auto it = object.kernels().find(kernel);
  if (it == object.kernels().end()) return refuse("no kernel '{}' in the code object", kernel);
  return CodeRange{it->second.entry, it->second.end};
}

std::vector<CodeRange> executable_ranges(const CodeObject& object) { return object.code_ranges(); }

Instruction instruction_at(const CodeObject& object, std::uint64_t pc) { return decode(object.code_at(pc), pc); }

tl::expected<std::vector<Instruction>, std::string> kernel_instructions(const CodeObject& object,
                                                                        std::string_view kernel) {
  const auto range = kernel_range(object, kernel);
  if (!range) return Error(range.error());
  std::vector<Instruction> instructions;
  for (std::uint64_t pc = range->begin; pc < range->end; pc += instructions.back().bytes) {
    instructions.push_back(instruction_at(object, pc));
  }
  return instructions;
}

}  // namespace mfma::gfx950
