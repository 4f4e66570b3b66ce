// What the kernel says that a descriptor or a name leads to.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// What tells a file from all others, at all times, whatever its names: a hash of the file's handle, which holds its
/// number and generation and is the same on all nodes that share a file system. Where there are none (seccomp), of
/// number, time of birth and device. 0: neither is known, as with FUSE, so the path decides.
using FileIdentity = uint64_t;

/// Neither asks a server. Both preserve errno; async-signal-safe.
FileIdentity identity_of(int fd);
/// Symbolic links are followed, or not.
FileIdentity identity_of(int directory, const char* path, bool follow);

/// What it is and what number it has; costs half of the above.
struct FileKind {
  uint64_t birth;  // hash of number, time of birth and device; 0: there is no time of birth. A number that was given to
                   // another file in the same tick of the kernel's clock has the same
  uint64_t inode;
  uint32_t links;
  uint16_t mode;  // as of stat; 0: it could not be asked
};
FileKind file_kind(int fd);
FileKind file_kind(int directory, const char* path, bool follow);

}  // namespace headrace::capture
