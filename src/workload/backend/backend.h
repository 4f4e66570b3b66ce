// How a plan's operations are done. One file and one class each.
//
// One thread, one object per rank.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "workload/ranks/ranks.h"

namespace headrace::workload {

struct BackendOptions {
  bool collective = false;                                 // mpiio: all ranks of a shared file read and write together
  std::vector<std::pair<std::string, std::string>> hints;  // mpiio: of every file
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// `shared`: every rank opens it, at the same time.
  virtual base::Status open(uint32_t file, const std::string& path, bool create, bool shared) = 0;
  /// All of `bytes`, or an error.
  virtual base::Status write(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) = 0;
  /// How many bytes there are; fewer than asked for only at the end of the file.
  virtual base::Result<uint64_t> read(uint32_t file, uint64_t offset, std::span<uint8_t> bytes) = 0;
  virtual base::Status sync(uint32_t file) = 0;
  virtual base::Status close(uint32_t file) = 0;
  /// Whether what was written can be read again.
  virtual bool keeps() const { return true; }
  /// What of the options does nothing here, as sentences; to be told.
  virtual std::vector<std::string> remarks() const { return {}; }
};

/// "posix", "stdio", "mpiio" or "null". kInvalid: no such one, or options that it does not have. kUnsupported: there is
/// no MPI.
base::Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const BackendOptions& options,
                                                    const Ranks& ranks);

std::unique_ptr<Backend> make_posix();
std::unique_ptr<Backend> make_stdio();
std::unique_ptr<Backend> make_null();
std::unique_ptr<Backend> make_mpiio(const BackendOptions& options, const Ranks& ranks);

}  // namespace headrace::workload
