#include "harness/system/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <fstream>
#include <new>
#include <vector>

namespace mfma::system {

struct Digest::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XXH3_freeState(xxh); }
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

Digest& Digest::bytes(const void* data, std::size_t size) {
  XXH3_128bits_update(state_->xxh, data, size);
  return *this;
}

Digest& Digest::field(std::string_view text) {
  const std::uint64_t length = text.size();
  return bytes(&length, sizeof length).bytes(text.data(), text.size());
}

std::string Digest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

tl::expected<std::string, std::string> digest_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Digest digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.bytes(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) return tl::make_unexpected(fmt::format("cannot read {}", path.string()));
  return digest.hex();
}

}  // namespace mfma::system
