// What a server stores files in. One class each: POSIX, memory, null, and one that delays and fails for tests.
//
// Calls fail with error numbers (outcome.h) and may come from many threads at once. A place is a directory and a path
// below it; however a path is written, it never leads out of the directory's root (EXDEV).
#pragma once
#include <errno.h>
#include <sys/uio.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forward/protocol/handle.h"
#include "forward/protocol/messages.h"
#include "forward/protocol/outcome.h"

namespace headrace::forward {

inline constexpr int64_t kTimeNow = INT64_MIN;  // of a setattr: the time when it is done

struct Found {
  File file;
  Attributes attributes;
};

struct Place {
  const File& directory;
  std::string_view path;  // "" is the directory itself
};

/// A file's bytes, as long as somebody holds this: also when the file is renamed or removed meanwhile.
class OpenFile {
 public:
  struct Written {
    uint64_t bytes;  // stored, from the begin of the extent on
    int error;       // why not all of them, or 0
  };
  virtual ~OpenFile() = default;
  /// Fewer bytes than asked for: the file ends there.
  virtual Outcome<uint64_t> read(Extent where, uint8_t* into) = 0;
  virtual Written write(Extent where, const uint8_t* from) = 0;
  /// The same from several places in memory.
  virtual Written write_parts(uint64_t offset, std::span<const iovec> parts) {
    Written all{0, 0};
    for (const iovec& part : parts) {
      const Written written = write({offset + all.bytes, part.iov_len}, static_cast<const uint8_t*>(part.iov_base));
      all = {all.bytes + written.bytes, written.error};
      if (all.error != 0) break;
    }
    return all;
  }
  /// Returns when what was written will survive a crash of the machine, or an error number.
  virtual int commit() = 0;
  virtual int resize(uint64_t size) = 0;
  /// Makes it at least this long, with zeros. Nothing that is there by then, or written meanwhile, is cut off.
  virtual int extend(uint64_t size) = 0;
  virtual Outcome<Attributes> attributes() = 0;
  /// ENOTSUP: by its path alone.
  virtual int set_attributes(uint32_t, const Attributes&) { return ENOTSUP; }
};

/// Entries of a directory; names are views into `bytes`.
struct Listing {
  std::vector<char> bytes;
  std::vector<Entry> entries;
  bool at_end = false;
};

struct CreateOptions {
  uint32_t flags = 0;    // kExclusive, kTruncate
  uint32_t mode = 0666;  // with S_IFIFO or S_IFSOCK: a named pipe or socket, where nothing was
  Hints hints;
  bool is_emptied_later = false;  // one that was there has to be such that it may be
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// Whether a call may wait for a device: the server then makes it in a thread that may sleep.
  virtual bool sleeps() const = 0;
  /// Paths of the roots as clients name them; their number is the index.
  virtual std::vector<std::string> roots() const = 0;

  virtual Outcome<Found> lookup(Place place, bool follow) = 0;
  virtual Outcome<Found> create(Place place, const CreateOptions& options) = 0;
  virtual Outcome<Found> mkdir(Place place, uint32_t mode) = 0;
  virtual Outcome<Found> symlink(Place place, std::string_view target) = 0;
  /// `gone` receives the file, if it was a regular one whose last name this was.
  virtual int remove(Place place, bool directory, std::optional<File>* gone = nullptr) = 0;
  virtual int rename(Place from, Place to, bool replace, std::optional<File>* gone = nullptr) = 0;
  /// Keeps nothing of a file that has no name any more and that nobody has open.
  virtual void forget(const File&) {}
  /// The same for all such files; whether there were any.
  virtual bool forget_removed() { return false; }
  virtual int link(const File& file, Place to) = 0;
  virtual Outcome<Attributes> attributes(const File& file) = 0;
  /// `set`: which of the attributes, as in messages.h.
  virtual int set_attributes(const File& file, uint32_t set, const Attributes& attributes) = 0;
  virtual Outcome<std::string> readlink(const File& file) = 0;
  /// Of the file system that the file is on.
  virtual Outcome<Space> space(const File& file) = 0;
  /// Entries behind the one of this cookie, 0 = from the start; about `bytes` of them.
  virtual Outcome<Listing> list(const File& directory, uint64_t cookie, size_t bytes) = 0;
  /// ESTALE: there is another file now where this one was.
  virtual Outcome<std::shared_ptr<OpenFile>> open(const File& file, bool for_writing) = 0;
  /// The same of a directory too, whose bytes cannot be read.
  virtual Outcome<std::shared_ptr<OpenFile>> open_any(const File& file, bool for_writing) {
    return open(file, for_writing);
  }
};

/// Of a create's mode: S_IFREG, S_IFIFO, S_IFSOCK; 0 of what is not made.
uint32_t type_to_create(uint32_t mode);

/// Root file of a number, from which the others are found.
inline File root_file(uint16_t number) { return {.root = number, .type = 4, .inode = 0, .born = 0, .path = ""}; }

/// "a/b" of "a" and "b": empty parts and "." are left out.
std::string join_path(std::string_view directory, std::string_view path);

}  // namespace headrace::forward
