// Where the chunks of a trace go: one class each for the ways to spread them over files, chosen by --trace-sink.
//
// The trace itself, the first file, has tables of the whole job and says in its table `job`, as `stream.PROCESS`, in
// which other file the events of a process are. The others are in a directory of the same name with ".d" behind it.
// Processes agree on nothing: each finds its place by what it knows of itself.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/sink.h"

namespace headrace::capture {

struct SinkChoice {
  enum class Kind { kShared, kProcess, kNode, kMemory, kNull };
  Kind kind = Kind::kShared;
  uint64_t files = 1;          // of kShared
  std::string directory = {};  // of kNode
};
/// "shared", "shared:M", "process", "node", "node:DIR", "memory" or "null"; nothing: the text is none of them.
std::optional<SinkChoice> read_sink_choice(const std::string& text);

/// The fact by which flushers and `headrace collect` know of it.
inline constexpr char kSinkFact[] = "trace_sink";

/// Who writes a stream.
struct StreamOf {
  uint64_t process = 0;  // id in the job log
  uint32_t process_id = 0;
  int64_t rank = -1;
  uint64_t ranks = 0, instance = 0;  // of its parallel program; ranks 0: of none
  uint64_t job = 0;                  // of the chunks
};

/// Where the stream is, kept as long as the process has something to store.
struct StreamPlace {
  std::string file = {};  // name in the directory, in the end; empty: in the trace itself
  uint64_t position = 0;  // where the next chunk goes, of a stream in slots
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// Opens a stream, which goes on where `place` says, or is given a place if that has none. Null: this process has no
  /// place but the trace itself. `place` outlives what is returned. kIo, kNoSpace.
  virtual base::Result<std::unique_ptr<format::Sink>> open(const StreamOf& of, StreamPlace& place) = 0;

  /// All that this sink's launcher gathers is stored.
  virtual base::Status finish() { return {}; }
};

/// `trace`: the first file. `spool`: the directory of the spools, whose name no other launcher has. `mode`: of files,
/// 0: as the umask says. Null where all goes to the trace itself.
std::unique_ptr<TraceSink> make_trace_sink(const SinkChoice& choice, const std::string& trace, const std::string& spool,
                                           mode_t mode);

/// A directory beside the trace, made when it is needed. Its files are as private as the trace.
class StreamDirectory {
 public:
  StreamDirectory(const std::string& trace, mode_t mode);
  /// The path of a file in it. kIo: the directory cannot be made.
  base::Result<std::string> path_of(const std::string& name) const;
  /// After the file was made.
  void permit(const std::string& path) const;

 private:
  std::string path_;
  mode_t mode_;
};

std::unique_ptr<TraceSink> make_slot_files(const StreamDirectory& directory, uint64_t files);
std::unique_ptr<TraceSink> make_process_files(const StreamDirectory& directory);
std::unique_ptr<TraceSink> make_node_file(const StreamDirectory& directory, const std::string& local,
                                          const std::string& spool);

}  // namespace headrace::capture
