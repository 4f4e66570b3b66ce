#pragma once
// What one thread of execution did, in the order of time. A trace is such a stream for each thread (a location).
//
// An operation of I/O is two events, kIoBegin and kIoEnd; a call of MPI is kEnter and kLeave with its messages between.
// The kinds are those of OTF2 (its reference manual, "Event records"), with numbers in place of definitions.

#include <cstdint>

namespace headrace::model {

/// Stored: numbers stay as they are.
enum class EventKind : uint8_t {
  kEnter = 0,       // reference: region
  kLeave = 1,       // reference: region; size: bytes that were handed to it, where it is a library's function;
                    // other: the rank whose memory a one-sided operation reached, plus 1, or 0
  kIoBegin = 2,     // reference: function; other: handle; size: bytes asked for; place: offset, or kUnknownPlace
  kIoEnd = 3,       // reference: function; other: handle, of two paths the second; size: bytes moved; place: errno,
                    // 0 = no error
  kSend = 4,        // reference: communicator; other: rank it goes to; size: bytes; place: tag
  kReceive = 5,     // reference: communicator; other: rank it is from; size: bytes; place: tag
  kCollective = 6,  // reference: communicator; other: root, or kNoRoot; size: bytes sent; place: bytes received
  kCounter = 7,     // reference: name of the counter; size: bits of its value, an IEEE 754 binary64
};
inline constexpr unsigned kEventKinds = 8;

inline constexpr uint64_t kUnknownPlace = ~uint64_t{0};
inline constexpr uint32_t kNoRoot = ~uint32_t{0};
inline constexpr uint32_t kMostReferences = 1u << 24;

/// 32 bytes, as streams of millions are in memory. `reference` counts in a list that goes with the stream.
struct Event {
  uint64_t time = 0;  // in ticks; a tick is a power of two of nanoseconds
  uint64_t size = 0;
  uint64_t place = 0;
  uint32_t kind_and_reference = 0;
  uint32_t other = 0;

  EventKind kind() const { return static_cast<EventKind>(kind_and_reference >> 24); }
  uint32_t reference() const { return kind_and_reference & (kMostReferences - 1); }
  bool operator==(const Event&) const = default;
};

constexpr uint32_t kind_and_reference(EventKind kind, uint32_t reference) {
  return static_cast<uint32_t>(kind) << 24 | reference;
}

/// What a location spends its time with, as overviews show it. Stored: numbers stay as they are.
enum class TimeClass : uint8_t {
  kProgram = 0,     // its own regions, and what is in no region
  kMessages = 1,    // MPI between two ranks
  kCollective = 2,  // MPI among all ranks of a communicator
  kWait = 3,        // for other threads; for other ranks is kMessages or kCollective
  kRead = 4,
  kWrite = 5,
  kMetadata = 6,  // other operations on files
  kTracing = 7,   // what the trace does for itself
};
inline constexpr unsigned kTimeClasses = 8;

}  // namespace headrace::model
