#include "convert/perfetto/sequence.h"

#include <algorithm>
#include <bit>

#include "convert/trace/plain_text.h"
#include "model/event_names.h"

namespace headrace::convert::perfetto {

using model::Event;
using model::EventKind;

namespace {

/// Names of annotations; their numbers count from 1 on.
enum Note : uint32_t {
  kSize = 1,
  kOffset,
  kMoved,
  kErrno,
  kPath,
  kPeer,
  kTag,
  kCommunicator,
  kRoot,
  kSent,
  kReceived,
  kTarget
};
constexpr const char* kNotes[] = {"size", "offset",       "moved", "errno", "path",     "peer",
                                  "tag",  "communicator", "root",  "sent",  "received", "target"};

// Numbers of names of instants, beyond those of references.
constexpr uint64_t kInstants = uint64_t{1} << 32;

}  // namespace

Sequence::Sequence(const events::TraceReader& trace, const Tracks& tracks, Flows& flows, uint32_t location,
                   std::string& to)
    : trace_(trace), tracks_(tracks), flows_(flows), location_(location), to_(to) {
  for (uint32_t i = 0; i < model::kTimeClasses; ++i)
    intern(InternedField::kCategories, i + 1, model::kTimeClassNames[i]);
  for (uint32_t i = 0; i < std::size(kNotes); ++i) intern(InternedField::kAnnotationNames, i + 1, kNotes[i]);
  Message event_defaults, defaults;
  event_defaults.number(DefaultsField::kTrack, tracks.thread(location));
  defaults.message(DefaultsField::kTrackEvent, event_defaults);
  packet_.message(PacketField::kTrackDescriptor, tracks.describe_thread(location));
  packet_.message(PacketField::kDefaults, defaults);
  packet_.message(PacketField::kInternedData, interned_);
  packet_.number(PacketField::kSequence, uint64_t{location_} + 2);
  packet_.number(PacketField::kSequenceFlags, PacketFlag::kCleared | PacketFlag::kNeedsInterned);
  scratch_.message(TraceField::kPacket, packet_);
  to_.append(scratch_.bytes());
  interned_.clear();
}

void Sequence::take(const BalancedEvent& balanced) {
  const Event& event = balanced.event;
  switch (event.kind()) {
    case EventKind::kEnter:
    case EventKind::kIoBegin:
      return slice_begin(event);
    case EventKind::kLeave:
    case EventKind::kIoEnd:
      return slice_end(event, balanced.made);
    case EventKind::kSend:
      return instant(event, "send");
    case EventKind::kReceive:
      return instant(event, "receive");
    case EventKind::kCollective:
      return instant(event, "collective");
    case EventKind::kCounter:
      return counter(event);
  }
}

void Sequence::slice_begin(const Event& event) {
  const events::Reference& what = trace_.references()[event.reference()];
  event_.number(EventField::kType, EventType::kSliceBegin);
  event_.number(EventField::kName, name_of(event.reference()));
  event_.number(EventField::kCategory, static_cast<uint64_t>(what.time_class) + 1);
  const auto layer = std::find(layers_.begin(), layers_.end(), what.layer);
  if (layer != layers_.end())
    event_.number(EventField::kCategory, model::kTimeClasses + 1 + static_cast<uint64_t>(layer - layers_.begin()));
  const bool operation = event.kind() == EventKind::kIoBegin;
  unnamed_.push_back(operation && event.other == 0);
  if (operation) {
    if (event.size != 0) annotate(kSize, event.size);
    if (event.place != model::kUnknownPlace) annotate(kOffset, event.place);
    if (event.other != 0) annotate_text(kPath, path_of(event.other));
  }
  put(event.time);
}

void Sequence::slice_end(const Event& event, bool made) {
  event_.number(EventField::kType, EventType::kSliceEnd);
  const bool operation = event.kind() == EventKind::kIoEnd;
  const bool moves = trace_.references()[event.reference()].time_class == model::TimeClass::kRead ||
                     trace_.references()[event.reference()].time_class == model::TimeClass::kWrite;
  if (!made && (event.size != 0 || (operation && moves))) annotate(kMoved, event.size);
  if (operation && event.place != 0) annotate(kErrno, event.place);
  // An end may know more than a begin that a flush told.
  if (operation && event.other != 0 && !unnamed_.empty() && unnamed_.back()) annotate_text(kPath, path_of(event.other));
  if (!unnamed_.empty()) unnamed_.pop_back();
  if (!operation && event.other != 0) annotate(kTarget, event.other - 1);
  put(event.time);
}

void Sequence::instant(const Event& event, const char* name) {
  const auto number = kInstants + static_cast<uint64_t>(event.kind());
  const events::Reference& communicator = trace_.references()[event.reference()];
  if (texts_.try_emplace(std::string("\n") + name, 0).second) intern(InternedField::kEventNames, number, name);
  event_.number(EventField::kType, EventType::kInstant);
  event_.number(EventField::kName, number);
  annotate_text(kCommunicator, text_of(communicator.name));
  if (event.kind() == EventKind::kCollective) {
    event_.number(EventField::kCategory, static_cast<uint64_t>(model::TimeClass::kCollective) + 1);
    if (event.other != model::kNoRoot) annotate(kRoot, event.other);
    annotate(kSent, event.size);
    annotate(kReceived, event.place);
  } else {
    event_.number(EventField::kCategory, static_cast<uint64_t>(model::TimeClass::kMessages) + 1);
    annotate(kPeer, event.other);
    annotate(kTag, event.place);
    annotate(kSize, event.size);
    const uint64_t flow = flows_.of(event);
    if (flow != 0) event_.fixed(event.kind() == EventKind::kSend ? EventField::kFlow : EventField::kFlowEnd, flow);
  }
  put(event.time);
}

void Sequence::counter(const Event& event) {
  const auto [number, added] = counters_.try_emplace(event.reference(), static_cast<uint32_t>(counters_.size()));
  if (added) {
    packet_.clear();
    const std::string& name = trace_.references()[event.reference()].name;
    packet_.message(PacketField::kTrackDescriptor, tracks_.describe_counter(location_, number->second, name));
    packet_.number(PacketField::kSequence, uint64_t{location_} + 2);
    scratch_.clear();
    scratch_.message(TraceField::kPacket, packet_);
    to_.append(scratch_.bytes());
  }
  event_.number(EventField::kType, EventType::kCounter);
  event_.number(EventField::kTrack, tracks_.counter(location_, number->second));
  event_.real(EventField::kDoubleCounter, std::bit_cast<double>(event.size));
  put(event.time);
}

uint64_t Sequence::name_of(uint32_t reference) {
  if (reference >= named_.size()) named_.resize(trace_.references().size());
  if (!named_[reference]) {
    named_[reference] = true;
    const events::Reference& what = trace_.references()[reference];
    intern(InternedField::kEventNames, uint64_t{reference} + 1,
           what.name.empty() ? "unknown " + std::to_string(what.id) : what.name);
    if (!what.layer.empty() && std::find(layers_.begin(), layers_.end(), what.layer) == layers_.end()) {
      layers_.push_back(what.layer);
      intern(InternedField::kCategories, model::kTimeClasses + layers_.size(), what.layer);
    }
  }
  return uint64_t{reference} + 1;
}

uint64_t Sequence::path_of(uint32_t handle) {
  const auto [place, added] = paths_.try_emplace(handle);
  if (!added) return place->second;
  const std::string& path = trace_.handle(trace_.locations()[location_].what.process, handle);
  return place->second = text_of(path.empty() ? "file " + std::to_string(handle) : path);
}

uint64_t Sequence::text_of(const std::string& text) {
  const auto [place, added] = texts_.try_emplace(text, texts_.size() + 1);
  if (added) intern(InternedField::kTexts, place->second, text);
  return place->second;
}

void Sequence::annotate(uint32_t name, uint64_t number) {
  scratch_.clear();
  scratch_.number(AnnotationField::kName, name);
  scratch_.number(AnnotationField::kNumber, number);
  event_.message(EventField::kAnnotation, scratch_);
}

void Sequence::annotate_text(uint32_t name, uint64_t text) {
  scratch_.clear();
  scratch_.number(AnnotationField::kName, name);
  scratch_.number(AnnotationField::kText, text);
  event_.message(EventField::kAnnotation, scratch_);
}

void Sequence::intern(uint32_t list, uint64_t number, std::string_view text) {
  Message entry;
  entry.number(InternedField::kId, number);
  entry.text(InternedField::kText, plain_text(text));
  interned_.message(list, entry);
}

void Sequence::put(uint64_t time) {
  packet_.clear();
  packet_.number(PacketField::kTimestamp, time);
  packet_.number(PacketField::kSequence, uint64_t{location_} + 2);
  packet_.number(PacketField::kSequenceFlags, PacketFlag::kNeedsInterned);
  if (!interned_.empty()) packet_.message(PacketField::kInternedData, interned_);
  packet_.message(PacketField::kTrackEvent, event_);
  scratch_.clear();
  scratch_.message(TraceField::kPacket, packet_);
  to_.append(scratch_.bytes());
  interned_.clear();
  event_.clear();
}

}  // namespace headrace::convert::perfetto
