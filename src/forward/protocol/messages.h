// What clients and servers say to each other; docs/formats/forwarding-protocol.md has the bytes and the reasons.
//
// Texts and handles of a decoded message are views into the bytes it was decoded from, which must outlive it.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "forward/protocol/placement.h"

namespace headrace::forward {

inline constexpr uint32_t kMagic = 0x01465248;  // "HRF", then the layout of frames
inline constexpr uint16_t kVersion = 2;         // of the messages in them
inline constexpr size_t kHeaderBytes = 48;
inline constexpr uint32_t kLongestBody = 1 << 21;
inline constexpr uint32_t kLongestHello = 1024;     // before a peer has shown who it is
inline constexpr uint32_t kLongestData = 64 << 20;  // a server may allow less
inline constexpr uint32_t kLongestPath = 4095;
inline constexpr uint32_t kLongestHandle = kLongestPath + 64;
inline constexpr uint32_t kMostExtents = 65536;
inline constexpr size_t kMostOnce = 1024;  // calls that happen once, of which a client may not know the first yet

enum class Op : uint8_t {
  kHello = 1,
  kProve = 2,
  kStatus = 3,
  kGoodbye = 4,  // an answer that nobody asked for
  kKeep = 5,
  kSecret = 6,  // in place of hello: asks for the job's secret
  kLookup = 16,
  kGetattr = 17,
  kSetattr = 18,
  kCreate = 19,
  kRemove = 20,
  kRename = 21,
  kLink = 22,
  kSymlink = 23,
  kReadlink = 24,
  kMkdir = 25,
  kReaddir = 26,
  kResize = 27,
  kRead = 28,
  kWrite = 29,
  kAppend = 30,
  kCommit = 31,
  kLock = 32,
  kHeld = 33,
  kSpace = 34,
  kOpened = 35,
};
inline constexpr uint8_t kReplyBit = 0x80;

const char* op_name(Op op);  // "lookup"; "" for a number that is none
inline bool is_op(uint8_t number) { return *op_name(static_cast<Op>(number)) != '\0'; }
/// Whether doing it twice is not the same as doing it once, so that a server has to remember the answer.
bool happens_once(Op op);

/// Flags of a frame.
inline constexpr uint8_t kInWindow = 1;  // the data is in the shared window, not behind the body
inline constexpr uint8_t kHeld = 2;      // of an answer: what was written is in the server's memory, not in the file

struct Header {
  uint8_t op = 0;  // of a reply: with kReplyBit
  uint8_t flags = 0;
  uint32_t body = 0;    // bytes
  uint32_t limit = 0;   // of a request: milliseconds it may take, 0 = the server's; of a reply: error number
  uint32_t data = 0;    // bytes behind the body, or in the window
  uint32_t window = 0;  // where in the window
  uint64_t id = 0;
  uint64_t passed = 0;  // of a request: no answer to one below is awaited any more; of a reply: served_in()
  uint64_t seal = 0;
};

/// How long an answered call was in the server's queue, and at work; the header has both in steps of 100 ns.
struct Served {
  uint64_t waited_ns = 0, worked_ns = 0;
};
inline uint64_t served_in(Served times) {
  const auto steps = [](uint64_t ns) { return ns / 100 < UINT32_MAX ? ns / 100 : uint64_t{UINT32_MAX}; };
  return steps(times.waited_ns) | steps(times.worked_ns) << 32;
}
inline Served served(const Header& reply) { return {(reply.passed & UINT32_MAX) * 100, (reply.passed >> 32) * 100}; }

struct Extent {
  uint64_t offset = 0;
  uint64_t length = 0;
  bool operator==(const Extent&) const = default;
};

/// A part of a file that could not be stored.
struct BadRange {
  uint32_t error = 0;
  Extent where;
  bool operator==(const BadRange&) const = default;
};

struct Attributes {
  uint32_t mode = 0, links = 0, user = 0, group = 0, block_size = 0;
  uint64_t inode = 0, size = 0, blocks = 0;                   // blocks of 512 bytes
  int64_t accessed = 0, modified = 0, changed = 0, born = 0;  // nanoseconds since 1970; born is 0 where unknown
  bool operator==(const Attributes&) const = default;
};

/// What there is of a file system, in bytes and in files. `available`: of `free`, what others than root get.
struct Space {
  uint64_t bytes = 0, free = 0, available = 0, files = 0, free_files = 0;
  bool operator==(const Space&) const = default;
};

/// What setattr sets.
inline constexpr uint32_t kSetMode = 1, kSetUser = 2, kSetGroup = 4, kSetAccessed = 8, kSetModified = 16;

/// Flags of requests.
inline constexpr uint32_t kNoFollow = 1;    // lookup: a symbolic link as last part is meant itself
inline constexpr uint32_t kExclusive = 2;   // create: fails where there is one
inline constexpr uint32_t kTruncate = 4;    // create: empties what is there
inline constexpr uint32_t kDirectory = 8;   // remove: a directory
inline constexpr uint32_t kNoReplace = 16;  // rename: fails where there is one
inline constexpr uint32_t kThrough = 32;    // write, append: answered when it is stored, not when the server holds it
inline constexpr uint32_t kReserve = 64;    // append: takes the range alone; what belongs there is written later
inline constexpr uint32_t kNoSync = 128;    // commit: until the file system has it; a crash of its machine may cost it

inline constexpr uint32_t kAllStripes = 65535;  // as many as the file system can have
/// Hints of a create; 0 = the file system's own.
struct Hints {
  uint32_t stripe_count = 0;
  uint64_t stripe_bytes = 0;
  bool operator==(const Hints&) const = default;
};

/// Flags of lock; without one of the first two it gives the range back.
inline constexpr uint32_t kShared = 256, kExclusively = 512;
inline constexpr uint32_t kTest = 1024;   // only tells who is in the way
inline constexpr uint32_t kWhole = 2048;  // as flock(), which knows nothing of locked ranges
inline constexpr uint32_t kLeave = 4096;  // the owner does not belong to this client any more

/// Flags of held, which tells what a server holds of a file and does not ask the file system.
inline constexpr uint32_t kCut = 8192;     // first forgets what is behind `size`: the file is being truncated
inline constexpr uint32_t kBring = 16384;  // first brings all to the file

/// Flags of lookup, create and opened: the owner has the file open from now on, and may write.
inline constexpr uint32_t kOpens = 32768, kWrites = 65536;
/// Flags of opened: with kLeave the owner has closed it, though a child of the client may have it. kGone: nobody has
/// said so, but the file has no name any more.
inline constexpr uint32_t kMayBeShared = 131072, kGone = 262144;

using Nonce = std::array<uint8_t, 16>;

/// Which of these an operation has: fields.h.
struct Request {
  Op op = Op::kStatus;
  base::Bytes handle, other_handle;
  std::string_view name, other_name;
  uint32_t flags = 0, mode = 0, set = 0, count = 0;
  uint64_t size = 0, cookie = 0;
  uint64_t least = 0;  // of an append: it goes there or behind
  Attributes attributes;
  Hints hints;
  Extent range;
  std::vector<Extent> extents;
  uint16_t oldest = 0, newest = 0;  // versions
  Nonce client{}, nonce{}, proof{};
  Nonce owner{}, opener{};
};

struct Entry {
  uint64_t inode = 0, cookie = 0;
  uint8_t type = 0;  // as DT_REG of dirent.h
  std::string_view name;
  bool operator==(const Entry&) const = default;
};

struct Root {
  std::string_view path;
  base::Bytes handle;
};

struct Reply {
  Op op = Op::kStatus;
  base::Bytes handle;
  std::string_view text;
  Attributes attributes;
  Space space;
  uint64_t size = 0;             // bytes written; of an append, the offset it got; where what is held ends
  uint64_t taken = 0;            // appends may not go in front of this
  bool at_end = false;           // of a directory
  bool granted = false;          // a lock; else `bad` has the range in the way, and `size` the process that holds it
  std::vector<uint64_t> counts;  // of a read: bytes by extent; none when all have what was asked for
  std::vector<BadRange> bad;
  std::vector<Entry> entries;
  std::vector<Root> roots;
  uint16_t version = 0;
  uint32_t most_data = 0, window = 0;  // bytes
  Placement placement;
  uint64_t instance = 0;  // another one: the server was started anew and holds nothing of before
  Nonce nonce{}, proof{};
};

}  // namespace headrace::forward
