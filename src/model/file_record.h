// What is known about one file (or stream, pipe, roll-up, …) in one process, and how two such records become one.
//
// Plain values without I/O; safe in any thread. Units are those of counters.def.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_site.h"
#include "model/common_values.h"
#include "model/counters.h"
#include "model/size_histogram.h"

namespace headrace::model {

enum class FileKind : uint8_t {
  kFile,
  kDirectoryRollup,  // the sums of small old files of a directory
  kExcludedRollup,   // everything under an excluded prefix
  kStream,           // one of descriptors 0–2 as the program found it
  kPipe,
  kSocket,
  kDevice,
  kDirectory,
  kAnonymous,   // memfd and the like
  kVforkChild,  // calls of vfork children before their exec
  kDataset,     // a dataset or variable inside a file; its path is the file's, a colon and its own name
  kNoFile,      // calls that are in no file's row, though they may have been on one
};

/// Which of the interfaces to a file the figures of a record are of. Those of one file in the layers of the system
/// (kPosix, kStdio) are disjoint and add up. The other layers are libraries, whose calls end up in those below them:
/// the same bytes are counted once in each layer that they pass.
enum class Layer : uint8_t { kPosix, kStdio, kMpiio, kHdf5, kPnetcdf };
inline constexpr uint32_t kLayers = 5;
constexpr bool is_of_system(Layer layer) { return layer <= Layer::kStdio; }
/// The word used in logs, for example "mpiio".
std::string_view layer_name(Layer layer);

inline constexpr uint32_t kFileKinds = static_cast<uint32_t>(FileKind::kNoFile) + 1;
/// The word used in logs, for example "directory_rollup".
std::string_view kind_name(FileKind kind);

enum Direction : uint32_t { kRead = 0, kWrite = 1 };
inline constexpr uint32_t kDirections = 2;
/// "read" or "write".
std::string_view direction_name(uint32_t direction);

using Counters = std::array<uint64_t, counter::kCount>;

/// Merges `from` into `into` by the rules of counters.def. Associative and commutative; zeros are neutral.
void merge(Counters& into, const Counters& from);

/// The counters of calls that neither read nor write and that succeeded.
inline constexpr counter::Index kMetadataCalls[] = {
    counter::opens,           counter::closes,     counter::duplicates, counter::seeks,   counter::stats,
    counter::syncs,           counter::truncates,  counter::allocates,  counter::advises, counter::maps,
    counter::locks,           counter::renames,    counter::unlinks,    counter::links,   counter::makes,
    counter::directory_reads, counter::attributes, counter::controls,   counter::flushes};
uint64_t metadata_calls(const Counters& counters);

/// A fact about a file besides counts, such as a hint or the layout of a dataset.
struct Property {
  std::string key, value;
  bool operator==(const Property&) const = default;
};

struct FileRecord {
  std::string path;         // absolute, as opened; arbitrary bytes
  std::string final_path;   // equal to path unless renamed
  uint64_t file = 0;        // which one the kernel says it is; equal in all processes; 0: not known, the path decides
  uint32_t generation = 0;  // files that had the path in this process before; tells records of one process apart
  FileKind kind = FileKind::kFile;
  Layer layer = Layer::kPosix;
  Counters counters{};
  std::array<SizeHistogram, kDirections> sizes;
  std::array<CommonValues, kDirections> common_sizes;
  std::array<CommonValues, kDirections> common_strides;
  std::vector<CallSite> call_sites;  // of this process; merging leaves them alone
  std::vector<Property> properties;  // as the process found them; merging leaves them alone

  uint64_t& operator[](counter::Index index) { return counters[index]; }
  uint64_t operator[](counter::Index index) const { return counters[index]; }
  bool operator==(const FileRecord&) const = default;
};

/// Merges the figures of `from` into `into`, whose identity (path, final_path, file, kind, layer) stays. The figures
/// merge associatively and commutatively.
void merge(FileRecord& into, const FileRecord& from);

/// Id of a record in a job log, of a file that is known by its path alone.
uint64_t record_id(uint64_t process, std::string_view path, FileKind kind, Layer layer = Layer::kPosix);
/// Id of any record of a process; and of the one for what several ranks have of a file.
uint64_t record_id(uint64_t process, const FileRecord& record);
uint64_t shared_id(uint64_t standing, const FileRecord& record);

}  // namespace headrace::model
