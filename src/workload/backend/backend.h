// How a plan's operations are done. One file and one class each.
//
// One thread, one object per rank.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "workload/plan/operation.h"
#include "workload/ranks/ranks.h"

namespace headrace::workload {

struct Hdf5Options {
  std::string library;            // "" = what is found
  std::optional<uint64_t> sieve;  // bytes of the sieve buffer, 0 = none
  uint64_t page_size = 0;         // bytes; 0 = space in the file is not cut into pages
  uint64_t page_buffer = 0;       // bytes; 0 = none
  bool core = false;              // the core driver: in memory until the file is closed
  bool latest = false;            // the latest format
};

struct BackendOptions {
  bool collective = false;                                 // mpiio: all ranks of a shared file read and write together
  std::vector<std::pair<std::string, std::string>> hints;  // mpiio: of every file
  Hdf5Options hdf5;
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// One that is shared every rank opens, at the same time.
  virtual base::Status open(uint32_t file, const PlannedFile& planned, const std::string& path, bool create) = 0;
  /// All of `bytes`, where the operation says, or an error.
  virtual base::Status write(const Operation& to, std::span<const uint8_t> bytes) = 0;
  /// How many bytes there are; fewer than asked for only at the end of the file.
  virtual base::Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) = 0;
  virtual base::Status sync(uint32_t file) = 0;
  virtual base::Status close(uint32_t file) = 0;
  /// Whether what was written can be read again.
  virtual bool keeps() const { return true; }
  /// What of the options does nothing here, as sentences; to be told.
  virtual std::vector<std::string> remarks() const { return {}; }
};

/// "posix", "stdio", "mpiio", "hdf5" or "null". kInvalid: no such one, or options that it does not have. kUnsupported,
/// kNotFound: there is no MPI, or no HDF5.
base::Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const BackendOptions& options,
                                                    const Ranks& ranks);

std::unique_ptr<Backend> make_posix();
std::unique_ptr<Backend> make_stdio();
std::unique_ptr<Backend> make_null();
base::Result<std::unique_ptr<Backend>> make_hdf5(const Hdf5Options& options, const Ranks& ranks);
std::unique_ptr<Backend> make_mpiio(const BackendOptions& options, const Ranks& ranks);

}  // namespace headrace::workload
