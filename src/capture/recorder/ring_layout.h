// The parts of io_uring's memory that are read, as the kernel's linux/io_uring.h and liburing's struct io_uring (since
// version 2.0) have them. Machines' own headers may be older than their kernels.
#pragma once
#include <cstddef>
#include <cstdint>

namespace headrace::capture::uring {

struct Offsets {
  uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array, reserved;
  uint64_t address;
};
struct CompletionOffsets {
  uint32_t head, tail, ring_mask, ring_entries, overflow, entries, flags, reserved;
  uint64_t address;
};
struct Parameters {
  uint32_t submissions, completions, flags, cpu, idle, features, workers, reserved[3];
  Offsets submission;
  CompletionOffsets completion;
};
static_assert(sizeof(Parameters) == 120);

inline constexpr uint32_t kPolled = 1 << 1, kLargeSubmissions = 1 << 10, kLargeCompletions = 1 << 11,
                          kNoArray = 1 << 16;
/// Setups whose memory looks as described here. Not: memory of the program's own, rings without a descriptor, entries
/// of mixed sizes, and whatever comes later.
inline constexpr uint32_t kKnownSetups = 0x3fff | kNoArray | 1 << 17;
inline constexpr uint32_t kOneMapping = 1;  // of features

inline constexpr int64_t kSubmissionsAt = 0, kCompletionsAt = 0x8000000, kEntriesAt = 0x10000000;

struct Submission {
  uint8_t operation, flags;
  uint16_t priority;
  int32_t fd;
  uint64_t offset, address;
  uint32_t length, operation_flags;
  uint64_t user_data;
  uint16_t buffer, personality;
  uint32_t file_number;  // from 1: where an open puts its file, or what a close closes; 0: a descriptor
};
static_assert(offsetof(Submission, user_data) == 32 && offsetof(Submission, file_number) == 44);
inline constexpr uint8_t kFixedFile = 1, kLink = 1 << 2, kHardLink = 1 << 3, kNoSuccess = 1 << 6;

struct Vector {
  uint64_t address, bytes;
};

struct Completion {
  uint64_t user_data;
  int32_t result;
  uint32_t flags;
};
static_assert(sizeof(Completion) == 16);
inline constexpr uint32_t kMore = 1 << 1;

enum Operation : uint8_t {
  kNothing = 0,
  kReadVector = 1,
  kWriteVector = 2,
  kSync = 3,
  kReadFixed = 4,
  kWriteFixed = 5,
  kSyncRange = 8,
  kAccept = 13,
  kAllocate = 17,
  kOpen = 18,
  kClose = 19,
  kChangeFiles = 20,
  kRead = 22,
  kWrite = 23,
  kAdvise = 24,
  kOpen2 = 28,
  kSplice = 30,
  kTee = 33,
  kRename = 35,
  kUnlink = 36,
  kMakeDirectory = 37,
  kSymbolicLink = 38,
  kHardLinkTo = 39,
  kSocket = 45,
  kCommand = 46,
  kReadOften = 49,
  kInstall = 54,
  kTruncate = 55,
  kReadVectorFixed = 60,
  kWriteVectorFixed = 61
};

enum Register : uint32_t {
  kFiles = 2,
  kNoFiles = 3,
  kUpdateFiles = 6,
  kFilesTagged = 13,
  kUpdateFilesTagged = 14,
  kResize = 33
};
inline constexpr uint32_t kSparse = 1;
struct FilesWithTags {
  uint32_t number, flags;
  uint64_t reserved, files, tags;
};
struct FilesUpdate {
  uint32_t first, flags;
  uint64_t files, tags;
  uint32_t number, reserved;
};

inline constexpr uint32_t kRegisteredRing = 1 << 4;  // io_uring_enter: its number is none of a descriptor
inline constexpr size_t kLiburingDescriptor = 196;   // in struct io_uring

}  // namespace headrace::capture::uring
