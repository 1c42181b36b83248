// 128-bit content hashes (XXH3), for cache keys and identities. They guard against accidents, not against malice.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace mfma::system {

class Digest {
 public:
  Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest();
  // The bytes as they are.
  Digest& bytes(const void* data, std::size_t size);
  // A field: its length goes first, so that ("ab", "c") and ("a", "bc") differ.
  Digest& field(std::string_view text);
  std::string hex() const;  // 32 hex digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a whole file. The error names the file and why it cannot be read.
tl::expected<std::string, std::string> digest_of_file(const std::filesystem::path& path);

}  // namespace mfma::system
