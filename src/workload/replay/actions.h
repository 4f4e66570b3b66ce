// What a replay can do, and for which recorded functions it does it (calls.def).
#pragma once
#include <cstdint>
#include <string_view>

namespace headrace::workload::replay {

enum class Action : uint8_t {
  kNone,  // not replayed
  kOpen,
  kOpenNew,  // under a name that nobody has
  kClose,
  kDuplicate,
  kRead,
  kReadVector,
  kReadAt,
  kReadVectorAt,
  kWrite,
  kWriteVector,
  kWriteAt,
  kWriteVectorAt,
  kSeek,
  kResize,
  kResizeName,
  kSync,
  kSyncData,
  kSyncRange,
  kSyncSystem,
  kAdvise,
  kLook,
  kLookName,
  kAccess,
  kSystemOf,
  kSystemOfOpen,
  kLimitOf,
  kLimitOfOpen,
  kResolve,
  kControl,
  kAskFlags,
  kReadEntries,
  kReadLink,
  kOpenDirectory,
  kDirectoryOn,  // of what is open
  kReadDirectory,
  kRewindDirectory,
  kSeekDirectory,
  kCloseDirectory,
  kScan,
  kRemove,
  kRename,
  kLink,
  kSymbolicLink,
  kMakeNode,
  kMakeDirectory,
  kRemoveDirectory,
  kChangeMode,
  kChangeModeOpen,
  kChangeOwner,
  kChangeOwnerOpen,
  kChangeTimes,
  kChangeTimesOpen,
  kListAttributes,
  kListAttributesOpen,
  kStreamOpen,
  kStreamOn,  // of what is open
  kStreamClose,
  kStreamRead,
  kStreamWrite,
  kStreamSeek,
  kStreamRewind,
  kStreamTell,
  kStreamFlush,
  kMpiOpen,
  kMpiClose,
  kMpiRead,
  kMpiReadAll,
  kMpiWrite,
  kMpiWriteAll,
  kMpiSize,
  kMpiSync,
  kWaitForAll,  // a collective operation of all ranks
};

enum class Layer : uint8_t { kPosix, kStdio, kMpiio, kOther };

struct Done {
  const char* function = "";  // that is called
  Action action = Action::kNone;
  const char* why = "";  // it is not replayed
};

/// Of a recorded function.
Done done_for(std::string_view layer, std::string_view function);
Layer layer_of(std::string_view layer);

constexpr bool reads(Action a) {
  return a == Action::kRead || a == Action::kReadVector || a == Action::kReadAt || a == Action::kReadVectorAt ||
         a == Action::kStreamRead || a == Action::kMpiRead || a == Action::kMpiReadAll;
}
constexpr bool writes(Action a) {
  return a == Action::kWrite || a == Action::kWriteVector || a == Action::kWriteAt || a == Action::kWriteVectorAt ||
         a == Action::kStreamWrite || a == Action::kMpiWrite || a == Action::kMpiWriteAll;
}
/// It goes on where the one before ended.
constexpr bool moves_position(Action a) {
  return a == Action::kRead || a == Action::kReadVector || a == Action::kWrite || a == Action::kWriteVector ||
         a == Action::kStreamRead || a == Action::kStreamWrite;
}
constexpr bool opens(Action a) {
  return a == Action::kOpen || a == Action::kOpenNew || a == Action::kStreamOpen || a == Action::kMpiOpen ||
         a == Action::kOpenDirectory;
}
/// Makes a stream of what is open, which then is one.
constexpr bool converts(Action a) { return a == Action::kStreamOn || a == Action::kDirectoryOn; }
constexpr bool closes(Action a) {
  return a == Action::kClose || a == Action::kStreamClose || a == Action::kMpiClose || a == Action::kCloseDirectory;
}
constexpr bool seeks(Action a) { return a == Action::kSeek || a == Action::kStreamSeek || a == Action::kStreamRewind; }
/// On what is open, not on a name.
constexpr bool needs_open(Action a) {
  switch (a) {
    case Action::kNone:
    case Action::kOpen:
    case Action::kOpenNew:
    case Action::kStreamOpen:
    case Action::kMpiOpen:
    case Action::kResizeName:
    case Action::kLookName:
    case Action::kAccess:
    case Action::kReadLink:
    case Action::kOpenDirectory:
    case Action::kSystemOf:
    case Action::kLimitOf:
    case Action::kResolve:
    case Action::kScan:
    case Action::kRemove:
    case Action::kRename:
    case Action::kLink:
    case Action::kSymbolicLink:
    case Action::kMakeNode:
    case Action::kChangeMode:
    case Action::kChangeOwner:
    case Action::kChangeTimes:
    case Action::kListAttributes:
    case Action::kMakeDirectory:
    case Action::kRemoveDirectory:
    case Action::kWaitForAll:
      return false;
    default:
      return true;
  }
}
/// Its other name is in Call::offset, as a number of Recording::paths.
constexpr bool has_two_names(Action a) {
  return a == Action::kRename || a == Action::kLink || a == Action::kSymbolicLink;
}
/// What an open file is to the program.
enum class Kind : uint8_t { kDescriptor, kStream, kMpi, kDirectory };
constexpr Kind kind_of(Action a) {
  if (a >= Action::kOpenDirectory && a <= Action::kCloseDirectory) return Kind::kDirectory;
  if (a >= Action::kStreamOpen && a <= Action::kStreamFlush) return Kind::kStream;
  return a >= Action::kMpiOpen && a <= Action::kMpiSync ? Kind::kMpi : Kind::kDescriptor;
}
/// All ranks that have the file open do it together.
constexpr bool is_together(Action a) {
  return a == Action::kMpiOpen || a == Action::kMpiClose || a == Action::kMpiReadAll || a == Action::kMpiWriteAll ||
         a == Action::kMpiSync;
}

}  // namespace headrace::workload::replay
