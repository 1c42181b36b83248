#include "harness/devices/worker_messages.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace mfma::devices::worker {
namespace {

constexpr int kMostRegisters = 64;

void write_image(Writer& out, const catalogue::RegisterImage& image) {
  out.value(static_cast<std::int32_t>(image.registers));
  out.bytes(std::as_bytes(std::span(image.dwords)));
}

catalogue::RegisterImage read_image(Reader& in) {
  const auto registers = in.value<std::int32_t>();
  const std::span<const std::byte> bytes = in.bytes();
  if (registers < 0 || registers > kMostRegisters ||
      bytes.size() != static_cast<std::size_t>(registers * catalogue::kLanes) * sizeof(std::uint32_t)) {
    in.fail();
    return {};
  }
  catalogue::RegisterImage image(registers);
  if (!bytes.empty()) std::memcpy(image.dwords.data(), bytes.data(), bytes.size());
  return image;
}

void write_dwords(Writer& out, const std::vector<std::uint32_t>& dwords) {
  out.bytes(std::as_bytes(std::span(dwords)));
}

std::vector<std::uint32_t> read_dwords(Reader& in) {
  const std::span<const std::byte> bytes = in.bytes();
  if (bytes.size() % sizeof(std::uint32_t) != 0) {
    in.fail();
    return {};
  }
  std::vector<std::uint32_t> dwords(bytes.size() / sizeof(std::uint32_t));
  if (!bytes.empty()) std::memcpy(dwords.data(), bytes.data(), bytes.size());
  return dwords;
}

// A count of things that take at least a byte each.
std::size_t read_count(Reader& in) {
  const auto count = in.value<std::uint64_t>();
  if (count > in.left()) {
    in.fail();
    return 0;
  }
  return static_cast<std::size_t>(count);
}

}  // namespace

std::uint64_t digest_of(std::span<const std::byte> payload) { return XXH3_64bits(payload.data(), payload.size()); }

FrameHeader header_of(MessageType type, std::uint64_t sequence, std::span<const std::byte> payload) {
  return {kMagic, static_cast<std::uint32_t>(type), sequence, payload.size(), digest_of(payload)};
}

std::string wrong_with(const FrameHeader& header) {
  if (header.magic != kMagic) return fmt::format("{:08x} where a message begins", header.magic);
  if (header.length > kLongestPayload) return fmt::format("a message of {} bytes", header.length);
  return {};
}

void Writer::bytes(std::span<const std::byte> data) {
  value(static_cast<std::uint64_t>(data.size()));
  bytes_.insert(bytes_.end(), data.begin(), data.end());
}

std::span<const std::byte> Reader::bytes() {
  const auto size = value<std::uint64_t>();
  if (!ok_ || size > bytes_.size()) {
    fail();
    return {};
  }
  const std::span<const std::byte> data = bytes_.first(static_cast<std::size_t>(size));
  bytes_ = bytes_.subspan(static_cast<std::size_t>(size));
  return data;
}

std::string Reader::text() {
  const std::span<const std::byte> data = bytes();
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

std::vector<std::byte> encode(const Hello& hello) {
  Writer out;
  out.text(hello.error);
  out.value(static_cast<std::uint64_t>(hello.devices.size()));
  for (const DeviceInfo& d : hello.devices) {
    for (const std::string& text : {d.id, d.kind, d.arch, d.description}) out.text(text);
    out.value(static_cast<std::uint8_t>(d.is_emulated));
    out.value(static_cast<std::uint64_t>(d.facts.size()));
    for (const auto& [name, fact] : d.facts) {
      out.text(name);
      out.text(fact);
    }
  }
  return out.take();
}

std::optional<Hello> decode_hello(std::span<const std::byte> payload) {
  Reader in(payload);
  Hello hello;
  hello.error = in.text();
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) {
    DeviceInfo d;
    for (std::string* text : {&d.id, &d.kind, &d.arch, &d.description}) *text = in.text();
    d.is_emulated = in.value<std::uint8_t>() != 0;
    for (std::size_t facts = read_count(in); facts > 0 && in.ok(); --facts) {
      std::string name = in.text();
      d.facts.emplace_back(std::move(name), in.text());
    }
    hello.devices.push_back(std::move(d));
  }
  if (!in.at_end() || (hello.error.empty() && hello.devices.empty())) return std::nullopt;
  return hello;
}

std::vector<std::byte> encode_run(std::uint64_t module, const std::string& kernel, std::span<const cases::Case> cases) {
  Writer out;
  out.value(module);
  out.text(kernel);
  out.value(static_cast<std::uint64_t>(cases.size()));
  for (const cases::Case& c : cases) {
    out.value(static_cast<std::uint8_t>(c.has_scales));
    for (const auto* image : {&c.a, &c.b, &c.c, &c.scale_a, &c.scale_b}) write_image(out, *image);
  }
  return out.take();
}

std::optional<RunRequest> decode_run(std::span<const std::byte> payload) {
  Reader in(payload);
  RunRequest request;
  request.module = in.value<std::uint64_t>();
  request.kernel = in.text();
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) {
    cases::Case c;
    c.has_scales = in.value<std::uint8_t>() != 0;
    for (auto* image : {&c.a, &c.b, &c.c, &c.scale_a, &c.scale_b}) *image = read_image(in);
    request.cases.push_back(std::move(c));
  }
  if (!in.at_end()) return std::nullopt;
  return request;
}

std::vector<std::byte> encode(const LaunchOutcome& outcome) {
  Writer out;
  out.value(static_cast<std::uint32_t>(outcome.status));
  out.text(outcome.message);
  out.value(static_cast<std::uint8_t>(outcome.needs_fresh_worker));
  out.value(static_cast<std::uint64_t>(outcome.d.size()));
  for (const catalogue::RegisterImage& image : outcome.d) write_image(out, image);
  out.value(static_cast<std::uint64_t>(outcome.outputs.size()));
  for (const std::vector<std::uint32_t>& output : outcome.outputs) write_dwords(out, output);
  out.value(static_cast<std::uint64_t>(outcome.wait_states.size()));
  for (const WaitStateNote& note : outcome.wait_states) {
    out.value(static_cast<std::uint8_t>(note.is_error));
    out.text(note.rule);
    out.text(note.message);
  }
  return out.take();
}

namespace {

// What encode() wrote, whatever it is of.
std::optional<LaunchOutcome> decode_any(std::span<const std::byte> payload) {
  Reader in(payload);
  LaunchOutcome outcome;
  const auto status = in.value<std::uint32_t>();
  if (status > static_cast<std::uint32_t>(LaunchStatus::kLost)) return std::nullopt;
  outcome.status = static_cast<LaunchStatus>(status);
  outcome.message = in.text();
  outcome.needs_fresh_worker = in.value<std::uint8_t>() != 0;
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) outcome.d.push_back(read_image(in));
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) outcome.outputs.push_back(read_dwords(in));
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) {
    WaitStateNote note;
    note.is_error = in.value<std::uint8_t>() != 0;
    note.rule = in.text();
    note.message = in.text();
    outcome.wait_states.push_back(std::move(note));
  }
  if (!in.at_end()) return std::nullopt;
  return outcome;
}

}  // namespace

std::optional<LaunchOutcome> decode_outcome(std::span<const std::byte> payload, std::size_t cases, int registers) {
  std::optional<LaunchOutcome> outcome = decode_any(payload);
  if (!outcome || !outcome->outputs.empty()) return std::nullopt;
  const bool completed = outcome->status == LaunchStatus::kCompleted;
  if (outcome->d.size() != (completed ? cases : 0)) return std::nullopt;
  for (const catalogue::RegisterImage& image : outcome->d) {
    if (image.registers != registers) return std::nullopt;
  }
  return outcome;
}

std::vector<std::byte> encode_run_program(std::uint64_t module, const std::string& kernel,
                                          const ProgramLaunch& launch) {
  Writer out;
  out.value(module);
  out.text(kernel);
  out.value(launch.cases);
  out.value(launch.trips);
  out.value(static_cast<std::uint64_t>(launch.inputs.size()));
  for (const std::vector<std::uint32_t>& input : launch.inputs) write_dwords(out, input);
  out.value(static_cast<std::uint64_t>(launch.outputs.size()));
  for (const std::size_t dwords : launch.outputs) out.value(static_cast<std::uint64_t>(dwords));
  return out.take();
}

std::optional<ProgramRequest> decode_run_program(std::span<const std::byte> payload) {
  Reader in(payload);
  ProgramRequest request;
  request.module = in.value<std::uint64_t>();
  request.kernel = in.text();
  request.launch.cases = in.value<std::uint32_t>();
  request.launch.trips = in.value<std::uint32_t>();
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) request.launch.inputs.push_back(read_dwords(in));
  for (std::size_t n = read_count(in); n > 0 && in.ok(); --n) {
    const auto dwords = in.value<std::uint64_t>();
    if (dwords > kLongestPayload / sizeof(std::uint32_t)) in.fail();
    request.launch.outputs.push_back(static_cast<std::size_t>(dwords));
  }
  if (!in.at_end()) return std::nullopt;
  return request;
}

std::optional<LaunchOutcome> decode_program_outcome(std::span<const std::byte> payload, const ProgramLaunch& launch) {
  std::optional<LaunchOutcome> outcome = decode_any(payload);
  if (!outcome || !outcome->d.empty()) return std::nullopt;
  const bool completed = outcome->status == LaunchStatus::kCompleted;
  if (outcome->outputs.size() != (completed ? launch.outputs.size() : 0)) return std::nullopt;
  for (std::size_t i = 0; i < outcome->outputs.size(); ++i) {
    if (outcome->outputs[i].size() != launch.outputs[i]) return std::nullopt;
  }
  return outcome;
}

}  // namespace mfma::devices::worker
