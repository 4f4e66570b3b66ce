// One job log that several processes write, on one node or many: who comes first begins it, the others join.
//
// A log belongs to one job, whose identity is a fact of its first chunk. That chunk is written to a file of its own
// that is then linked to the log's name, so that nobody ever sees half of it. Whatever is appended is appended under a
// lock on the file, which NFS and most parallel file systems know as well; where a file system does not, O_APPEND alone
// keeps chunks apart. Times of all writers count from the start that the first one wrote, by the real-time clock.
//
// One thread at a time. After fork the lock belongs to both processes: only one of them may go on.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "format/sink.h"

namespace headrace::capture {

inline constexpr char kIdentityFact[] = "job_identity";
/// Of each of several writers of a log a fact says whether its part is complete ("yes", or "no: " and the reason), and
/// facts PREFIX.exit_status and PREFIX.end_utc_ns its end. PREFIX is this and identity_text of its producer.
inline constexpr char kPartFact[] = "part.";
/// The name of the log that was at `path` before.
std::string kept_name(const std::string& path);
/// A number as identities are written.
std::string identity_text(uint64_t number);

class SharedLog {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;  // rows of the table `job`

  /// Begins the log at `path`, or joins the one of the same `identity` that is there. One of another job makes room:
  /// it is kept as kept_name(path), where whoever still writes it goes on, and replaces the log there. `facts`, the
  /// identity and `start_utc_ns` go into the first chunk if this call begins the log, under the job id `job` unless 0.
  /// kInvalid: there is a file that is no log, at one of the names, or without `replace` a log of another job. kIo,
  /// kNotFound, kNoSpace.
  static base::Result<SharedLog> open(const std::string& path, const std::string& identity, uint64_t start_utc_ns,
                                      const Facts& facts = {}, uint64_t job = 0, bool replace = true);
  /// Joins whatever log is there, to add to its last job. Errors of format::Reader::open.
  static base::Result<SharedLog> join(const std::string& path);

  SharedLog(SharedLog&& other) noexcept { *this = std::move(other); }
  SharedLog& operator=(SharedLog&& other) noexcept;
  ~SharedLog();

  const std::string& path() const { return path_; }
  uint64_t job() const { return job_; }                    // of every chunk: format::WriterOptions::job
  uint64_t start_utc_ns() const { return start_utc_ns_; }  // zero of all times in it; 0: it does not say
  Moment start() const { return Moment::at(start_utc_ns_); }
  bool created() const { return created_; }
  const std::string& kept() const { return kept_; }  // where the log is now that was here before; "": there was none

  /// While it lives no other process appends, nor opens the log to join it.
  class Section {
   public:
    Section(Section&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), end_(other.end_) {}
    ~Section();
    uint64_t end() const { return end_; }  // bytes of the log when the section began

   private:
    friend class SharedLog;
    Section(int descriptor, uint64_t end) : descriptor_(descriptor), end_(end) {}
    int descriptor_;
    uint64_t end_;
  };
  /// Waits for its turn, but not for ever: a process that was stopped inside a section must not stop all others.
  base::Result<Section> enter() const;
  /// For who writes path() itself: kIo where the wait was in vain, or where the name is another file's by now.
  base::Result<Section> enter_by_name() const;

  /// Appends whole chunks in a section of their own; returns where they begin.
  base::Result<uint64_t> append(std::span<const uint8_t> chunks);

  /// For a format::Writer, which must be used inside sections: its index holds only if nobody gets in between. A
  /// collective writer instead opens path() itself, without O_APPEND, and writes from end() on inside one section of
  /// enter_by_name().
  base::Result<std::unique_ptr<format::Sink>> sink() const;

 private:
  SharedLog() = default;
  enum class Found { kOurs, kOther, kEmpty, kGone };
  base::Result<Section> enter(bool by_name) const;
  base::Result<Found> look(const std::string& identity);
  base::Result<int> begin(const std::vector<uint8_t>& first_chunk, bool replace) const;
  base::Status keep_earlier();
  base::Status refuse_to_replace() const;
  base::Status begin_in_place(const std::vector<uint8_t>& first_chunk) const;
  base::Status take(const std::vector<uint8_t>& first_chunk);

  std::string path_, kept_;
  int descriptor_ = -1;
  uint64_t job_ = 0, start_utc_ns_ = 0;
  bool created_ = false;
};

}  // namespace headrace::capture
