#pragma once
// Numbers of fields of Perfetto's trace format, as published in perfetto_trace.proto of release 59
// (https://github.com/google/perfetto, protos/perfetto/trace). Protocol buffers never change them. Internal to
// perfetto.

#include <cstdint>

namespace headrace::convert::perfetto {

struct TraceField {
  static constexpr uint32_t kPacket = 1;
};
struct PacketField {
  static constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                            kSequenceFlags = 13, kDefaults = 59, kTrackDescriptor = 60;
};
struct PacketFlag {
  static constexpr uint64_t kCleared = 1, kNeedsInterned = 2;
};
struct DefaultsField {
  static constexpr uint32_t kTrackEvent = 11, kTrack = 11;  // the second of the first
};
struct ClockField {
  static constexpr uint32_t kClocks = 1, kPrimary = 2, kId = 1, kTimestamp = 2;
  static constexpr uint64_t kRealtime = 1, kBoottime = 6;  // ids of clocks; times of packets are the latter's
};
struct TrackField {
  static constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
};
struct ProcessField {
  static constexpr uint32_t kPid = 1, kName = 6;
};
struct ThreadField {
  static constexpr uint32_t kPid = 1, kTid = 2, kName = 5;
};
struct EventField {
  static constexpr uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kDoubleCounter = 44,
                            kFlow = 47, kFlowEnd = 48;
};
struct EventType {
  static constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
};
struct AnnotationField {
  static constexpr uint32_t kName = 1, kNumber = 3, kText = 17;
};
/// Each of these is a list of {iid = 1, text = 2}.
struct InternedField {
  static constexpr uint32_t kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kTexts = 29, kId = 1, kText = 2;
};

}  // namespace headrace::convert::perfetto
