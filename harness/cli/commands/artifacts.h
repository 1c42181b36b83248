// The folder where a run leaves its failing cases.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "harness/cases/case_file.h"

namespace mfma::cli {

class Artifacts {
 public:
  explicit Artifacts(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Makes the folder and writes a file there, so that a run does not find out at its end. One line when it cannot.
  std::string check() const;
  // The path of NAME.case, written; empty when it could not be. Thread-safe.
  std::string keep(const std::string& name, const cases::CaseFile& file);
  // What was the first not to be written, and why; empty: nothing.
  std::string error() const;

 private:
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::string error_;
};

}  // namespace mfma::cli
