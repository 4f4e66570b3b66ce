#include "convert/otf2/location_writer.h"

#include <bit>

namespace headrace::convert::otf2 {

using model::Event;
using model::EventKind;

void LocationWriter::take(const BalancedEvent& balanced) {
  const Event& event = balanced.event;
  const bool mpi = event.kind() == EventKind::kEnter && trace_.references()[event.reference()].layer == "mpi";
  const bool told = event.kind() == EventKind::kCollective && can_tell(event);
  ahead_.take(balanced, mpi || told, [this](const CollectivesAhead::Told& known) { write(known); });
}

void LocationWriter::write(const CollectivesAhead::Told& told) {
  const BalancedEvent& balanced = told.balanced;
  const Event& event = balanced.event;
  switch (event.kind()) {
    case EventKind::kEnter:
      enter(event, told.collective);
      break;
    case EventKind::kLeave:
      leave(event, balanced.made);
      break;
    case EventKind::kIoBegin:
      begin_operation(event, balanced.made);
      break;
    case EventKind::kIoEnd:
      end_operation(event, balanced.made);
      break;
    case EventKind::kSend:
    case EventKind::kReceive:
      message(event);
      break;
    case EventKind::kCollective:
      collective(event);
      break;
    case EventKind::kCounter: {
      OTF2_MetricValue value;
      value.floating_point = std::bit_cast<double>(event.size);
      const OTF2_Type type = OTF2_TYPE_DOUBLE;
      const uint32_t metric = definitions_.metric(event.reference());
      calls_(OTF2_EvtWriter_Metric(writer_, nullptr, event.time, metric, 1, &type, &value));
      break;
    }
  }
}

void LocationWriter::enter(const Event& event, bool collective) {
  open_.push_back({.begun = collective, .reference = event.reference()});
  calls_(OTF2_EvtWriter_Enter(writer_, nullptr, event.time, definitions_.region(event.reference())));
  if (open_.back().begun) calls_(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, event.time));
}

const Known& LocationWriter::known(uint32_t reference) {
  while (known_.size() < trace_.references().size()) {
    const events::Reference& what = trace_.references()[known_.size()];
    known_.push_back({operation_of(what), io_paradigm_of(what.layer)});
  }
  return known_[reference];
}

/// One that moves no bytes is a region with attributes, as OTF2 has no record of it.
void LocationWriter::begin_operation(const Event& event, bool made) {
  const Known& is = known(event.reference());
  const uint32_t region = definitions_.region(event.reference());
  const bool unseen = made && event.other == 0 && event.size == 0;
  open_.push_back({.reference = event.reference()});
  const bool told = is.operation.told && !unseen;
  const bool named = told || event.other != 0;
  const uint32_t handle = named ? definitions_.handle(location_.process, event.other, is.paradigm) : 0;
  if (!told) {
    if (named) calls_(OTF2_AttributeList_AddIoHandleRef(attributes_, kHandle, handle));
    if (event.size != 0) calls_(OTF2_AttributeList_AddUint64(attributes_, kSize, event.size));
    if (event.place != model::kUnknownPlace) calls_(OTF2_AttributeList_AddUint64(attributes_, kOffset, event.place));
  }
  calls_(OTF2_EvtWriter_Enter(writer_, attributes_, event.time, region));
  if (!told) return;
  open_.back().matching = ++matching_;
  if (event.place != model::kUnknownPlace) calls_(OTF2_AttributeList_AddUint64(attributes_, kOffset, event.place));
  calls_(OTF2_EvtWriter_IoOperationBegin(writer_, attributes_, event.time, handle, is.operation.mode,
                                         is.operation.flags, event.size, matching_));
}

void LocationWriter::end_operation(const Event& event, bool made) {
  const Frame frame = open_.back();
  open_.pop_back();
  if (frame.matching != 0) {
    const uint32_t handle = definitions_.handle(location_.process, event.other, known(event.reference()).paradigm);
    const uint64_t moved = made ? OTF2_UNDEFINED_UINT64 : event.size;
    calls_(OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, event.time, handle, moved, frame.matching));
  } else if (event.size != 0) {
    calls_(OTF2_AttributeList_AddUint64(attributes_, kMoved, event.size));
  }
  if (event.place != 0) calls_(OTF2_AttributeList_AddUint32(attributes_, kErrno, static_cast<uint32_t>(event.place)));
  calls_(OTF2_EvtWriter_Leave(writer_, attributes_, event.time, definitions_.region(event.reference())));
}

void LocationWriter::leave(const Event& event, bool made) {
  if (open_.back().collective) end_collective(open_.back(), event.time);
  open_.pop_back();
  if (!made && event.size != 0) calls_(OTF2_AttributeList_AddUint64(attributes_, kMoved, event.size));
  if (event.other != 0) calls_(OTF2_AttributeList_AddUint32(attributes_, kTarget, event.other - 1));
  calls_(OTF2_EvtWriter_Leave(writer_, attributes_, event.time, definitions_.region(event.reference())));
}

void LocationWriter::message(const Event& event) {
  if (!definitions_.knows(location_.rank) || !definitions_.knows(event.other)) {
    ++exported_.without_rank;
    return;
  }
  const uint32_t communicator = definitions_.communicator(event.reference());
  const auto write = event.kind() == EventKind::kSend ? OTF2_EvtWriter_MpiSend : OTF2_EvtWriter_MpiRecv;
  calls_(
      write(writer_, nullptr, event.time, event.other, communicator, static_cast<uint32_t>(event.place), event.size));
}

bool LocationWriter::can_tell(const Event& collective) const {
  return definitions_.knows(location_.rank) &&
         (collective.other == model::kNoRoot || definitions_.knows(collective.other));
}

/// It takes from the begin of its call until that is left.
void LocationWriter::collective(const Event& event) {
  if (!can_tell(event)) {
    ++exported_.without_rank;
    return;
  }
  Frame lone{.reference = open_.empty() ? 0 : open_.back().reference};
  const bool inside = !open_.empty() && !open_.back().collective && open_.back().matching == 0;
  Frame& frame = inside ? open_.back() : lone;
  if (!frame.begun) calls_(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, event.time));
  frame.collective = true;
  frame.what = event;
  if (!inside) end_collective(frame, event.time);
}

void LocationWriter::end_collective(Frame& frame, uint64_t at) {
  frame.collective = false;
  const Event& what = frame.what;
  const std::string& name = open_.empty() ? "" : trace_.references()[frame.reference].name;
  const uint32_t communicator = definitions_.communicator(what.reference());
  calls_(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, at, collective_of(name, what.size + what.place),
                                         communicator, what.other, what.size, what.place));
}

}  // namespace headrace::convert::otf2
