// Turns spools into rows of a job log as their processes end, and removes them.
//
// A spool is removed only after its rows are stored, so a launcher that is killed loses nothing. One thread at a time.
#pragma once
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"

namespace headrace::capture {

class Harvester {
 public:
  /// `directory`: an open directory of spools, which `path` names in messages; both stay the caller's.
  Harvester(int directory, std::string path, JobLog& log) : directory_(directory), path_(std::move(path)), log_(log) {}

  enum class Depth {
    kQuick,     // processes whose pid is gone, and images that another one of the same pid followed
    kThorough,  // every spool
  };
  /// Harvests what is finished. Fails only when the log takes no more; its spools then stay.
  base::Status scan(Depth depth);
  /// Stores waiting rows and removes their spools.
  base::Status flush();
  /// The same when the caller has just closed the log.
  void remove_stored();

  /// These process images are in the log already, by what it calls them: their spools are only removed.
  void skip(std::unordered_set<uint64_t> ids) { already_stored_ = std::move(ids); }

  /// How a process ended, for those that the caller could wait for.
  void note_exit(uint32_t process_id, int wait_status);

  /// Spools still in use when last looked at.
  size_t alive() const { return waiting_.size(); }
  /// Their processes. 0 for each whose pid is not known here: it lives in a pid namespace of its own.
  std::vector<uint32_t> alive_processes() const;
  /// Whether the latest scan found anything new, ended or not.
  bool stirred() const { return stirred_; }

 private:
  struct ExitNote {
    int wait_status;
    uint64_t at_ns;
  };
  void look_for_new();
  bool directory_changed();
  bool finished(const SpoolName& name, int descriptor);
  void see_alive(const Image& image);
  void see_in_use(const SpoolName& name);
  bool harvest_spool(const SpoolName& name, Depth depth, const Moment& now);
  struct Reduction {
    std::vector<std::byte> copy;
    std::vector<uint8_t> behind;  // files_to_ask.h
  };
  Reduction read_reduced(const SpoolName& name);
  Reduction read_copy(const std::string& file);
  void take_events(const std::string& spool, const model::Process& process, const Moment& now);
  bool harvest_unreadable(const SpoolName& name);
  void harvest_note(const SpoolName& name);
  void settle(const Image& image, model::Process& process, bool forked);
  bool due() const;

  int directory_;
  std::string path_;
  JobLog& log_;
  std::map<std::pair<uint64_t, std::string>, SpoolName> waiting_;  // by creation
  std::set<std::string> here_, elsewhere_;  // spools in use by processes of this pid namespace, and of others
  std::map<uint32_t, uint64_t> alive_ns_;   // by process id: when it was last seen alive, of those waiting
  std::vector<std::string> harvested_;      // to be removed once stored
  std::unordered_map<uint32_t, ExitNote> exits_;
  std::unordered_set<uint64_t> already_stored_;
  std::vector<std::byte> buffer_;
  uint64_t harvested_bytes_ = 0, oldest_ns_ = 0, directory_time_ns_ = 0;
  bool stirred_ = false;
};

}  // namespace headrace::capture
