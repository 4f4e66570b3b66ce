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
#include "workload/plan/object.h"
#include "workload/plan/operation.h"
#include "workload/ranks/ranks.h"

namespace headrace::workload {

struct Mpi;

struct Hdf5Options {
  std::string library;               // "" = what is found
  std::optional<uint64_t> sieve;     // bytes of the sieve buffer, 0 = none
  uint64_t page_size = 0;            // bytes; 0 = space in the file is not cut into pages
  uint64_t page_buffer = 0;          // bytes; 0 = none
  bool core = false;                 // the core driver: in memory until the file is closed
  bool latest = false;               // the latest format
  bool cache_image = false;          // what is in the metadata cache is stored as a whole when a file is closed
  bool collective_metadata = false;  // of shared files: all ranks read and write what describes data together
};

struct BackendOptions {
  bool objects = false;     // the plan makes and opens objects of files one by one
  bool shared = false;      // there are files that several ranks open together
  bool collective = false;  // mpiio, hdf5, pnetcdf: those ranks read and write together
  uint64_t align = 0;       // hdf5, pnetcdf: arrays of so many bytes begin at multiples of it
  std::vector<std::pair<std::string, std::string>> hints;  // mpiio, hdf5, pnetcdf: of every file
  Hdf5Options hdf5;
  std::string pnetcdf;   // its library; "" = what is found
  bool direct = false;   // posix: past the page cache
  bool gathers = false;  // posix, stdio: files whose plan says so gather writes in blocks
};

enum class Access { kCreate, kWrite, kRead };  // made if it is not there; of what is there

class Backend {
 public:
  virtual ~Backend() = default;
  /// One that is shared every rank of it opens, at the same time.
  virtual base::Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) = 0;
  /// All of `bytes`, where the operation says, or an error.
  virtual base::Status write(const Operation& to, std::span<const uint8_t> bytes) = 0;
  /// How many bytes there are; fewer than asked for only at the end of the file.
  virtual base::Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) = 0;
  /// The same two in the shortest way, for calls so small that all else beside them counts: false where it takes
  /// another, as with a box, an error or the end of the file. They may then be done again.
  virtual bool write_at_once(const Operation&, const uint8_t*) { return false; }
  virtual bool read_at_once(const Operation&, uint8_t*) { return false; }
  virtual base::Status sync(uint32_t file) = 0;
  virtual base::Status close(uint32_t file) = 0;
  /// Makes, opens, closes or links an object of an open file, as the verb says. What is then written or read is of the
  /// dataset that is open. Nothing where files are rows of bytes.
  virtual base::Status object(const Operation&, const PlannedObject&) { return {}; }
  /// How many writes it has made of those that it gathered.
  virtual uint64_t block_writes() const { return 0; }
  /// Whether what was written can be read again.
  virtual bool keeps() const { return true; }
  /// What of the options does nothing here, as sentences; to be told.
  virtual std::vector<std::string> remarks() const { return {}; }
};

/// Before MPI is initialised: loads the library that a back end of this name needs, and puts its name into `options`.
/// kUnsupported, kNotFound: there is none.
base::Status find_libraries(const std::string& name, BackendOptions& options, const Mpi& mpi);

/// "posix", "stdio", "mpiio", "hdf5", "pnetcdf" or "null". kInvalid: no such one, or options that it does not have.
/// kUnsupported, kNotFound: there is no MPI, no HDF5 or no PnetCDF.
base::Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const BackendOptions& options,
                                                    const Ranks& ranks);

std::unique_ptr<Backend> make_posix(bool direct = false);
std::unique_ptr<Backend> make_stdio();
std::unique_ptr<Backend> make_null();
std::unique_ptr<Backend> make_blocks(std::unique_ptr<Backend> to);
base::Result<std::unique_ptr<Backend>> make_hdf5(const BackendOptions& options, const Ranks& ranks);
base::Result<std::unique_ptr<Backend>> make_pnetcdf(const BackendOptions& options, const Ranks& ranks);
/// For plans that make and open objects one by one, in files of one rank at a time.
base::Result<std::unique_ptr<Backend>> make_hdf5_objects(const BackendOptions& options);
std::unique_ptr<Backend> make_mpiio(const BackendOptions& options, const Ranks& ranks);

}  // namespace headrace::workload
