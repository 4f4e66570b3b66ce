#pragma once
// A scan of a file system (docs/scan.md): threads walk through it, and what they count is stored from time to time, so
// that a scan that was interrupted can go on.
//
//   HEADRACE_ASSIGN(Scan scan, Scan::begin(settings));        // or Scan::resume(settings)
//   HEADRACE_TRY(scan.run(&stop, [](const Progress& now) { … }));
//
// run() starts the threads and ends them. Not across fork.

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/scan/places.h"
#include "collect/scan/tally.h"

namespace headrace::collect {

struct ScanSettings {
  std::vector<std::string> roots;  // absolute
  std::string output;
  std::string file_system;         // its name; "": the root
  std::vector<ProjectRule> rules;  // of the project map
  bool rows = false;               // keep a row for each file
  bool cross_mounts = false;
  unsigned threads = 8;
  double checkpoint_seconds = 60;  // between two states
};

struct Progress {
  int64_t entries = 0, unreadable = 0;
  double seconds = 0;
  int64_t expected = 0;  // inodes in use on the file systems of the roots; 0: they do not say
};

/// Where the parts of a scan are, by the path of its output.
inline std::string state_path(const std::string& output) { return output + ".part"; }
inline std::string links_path(const std::string& output) { return output + ".part.links"; }
inline std::string rows_path(const std::string& output) { return output + ".part.rows"; }

class Scan {
 public:
  /// kInvalid: a root is no directory, or lies in another, or a state is there already. kIo, kNoSpace.
  static base::Result<Scan> begin(ScanSettings settings);
  /// Goes on where the state ends. kNotFound: there is none. kInvalid: settings differ from those it began with.
  static base::Result<Scan> resume(ScanSettings settings);

  Scan(Scan&&) noexcept;
  Scan& operator=(Scan&&) noexcept;
  ~Scan();

  /// Walks, until all is done or *stop is not 0; stores the state then, or the output. kIo, kNoSpace: one of these
  /// failed. `watch` is called a few times a second.
  base::Status run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch);
  bool done() const;

  const ScanSettings& settings() const;
  const Totals& totals() const;
  /// "yes", or "no: " and the reason.
  std::string complete() const;
  uint64_t rows() const;  // that were kept

  /// Removes the files beside the output. After the rows were used.
  void remove_parts() const;

 private:
  struct State;
  explicit Scan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::collect
