#include "convert/otf2/location_reader.h"

#include <bit>
#include <string_view>

#include "base/hash.h"
#include "convert/otf2/regions.h"

namespace headrace::convert::otf2 {

using events::Reference;
using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

bool is_file_role(OTF2_RegionRole role) {
  return role == OTF2_REGION_ROLE_FILE_IO || role == OTF2_REGION_ROLE_FILE_IO_METADATA;
}

/// The archive only says that it is a function. `own`: Headrace says no more of what is one.
bool says_nothing(const KnownRegion& region, bool own) {
  switch (region.role) {
    case OTF2_REGION_ROLE_UNKNOWN:
    case OTF2_REGION_ROLE_FUNCTION:
    case OTF2_REGION_ROLE_WRAPPER:
    case OTF2_REGION_ROLE_CODE:
      return !own && (region.flags & OTF2_REGION_FLAG_PHASE) == 0;
    default:
      return false;
  }
}

TimeClass class_of_transfer(const KnownRegion& region) {
  const TimeClass by_name = region.by_name.time_class;
  if (by_name == TimeClass::kRead || by_name == TimeClass::kWrite) return by_name;
  return region.name.find("rite") != std::string::npos ? TimeClass::kWrite : TimeClass::kRead;
}

TimeClass class_of(const KnownRegion& region, bool own) {
  switch (region.role) {
    case OTF2_REGION_ROLE_POINT2POINT:
      return TimeClass::kMessages;
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
      return TimeClass::kCollective;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
    case OTF2_REGION_ROLE_THREAD_WAIT:
    case OTF2_REGION_ROLE_TASK_WAIT:
      return TimeClass::kWait;
    case OTF2_REGION_ROLE_FILE_IO:
      return class_of_transfer(region);
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
      return TimeClass::kMetadata;
    case OTF2_REGION_ROLE_ARTIFICIAL:
      return TimeClass::kTracing;
    default:
      return says_nothing(region, own) ? region.by_name.time_class : TimeClass::kProgram;
  }
}

std::string layer_of(const KnownRegion& region) {
  const bool files = is_file_role(region.role);
  if ((files || says_nothing(region, false)) && *region.by_name.layer != 0) return region.by_name.layer;
  if (region.paradigm == OTF2_PARADIGM_MPI) return files ? "mpiio" : "mpi";
  if (files) return "posix";
  return (region.flags & OTF2_REGION_FLAG_PHASE) != 0 ? "phase" : "";
}

std::string layer_of_paradigm(const std::string& identification) {
  for (const IoParadigm& each : kIoParadigms)
    if (identification == each.identification) return each.layer;
  return identification;
}

/// EZTrace 2 says this of all that it knows of files, streams too.
constexpr std::string_view kAnyFile = "posix io";

/// `layer`: of the file that it is on; empty: not known.
std::string layer_of_call(const KnownRegion& region, const std::string& layer) {
  if (layer == kAnyFile) return *region.by_name.layer != 0 ? region.by_name.layer : "posix";
  return layer.empty() ? layer_of(region) : layer;
}

double real_of(OTF2_Type type, OTF2_MetricValue value) {
  switch (type) {
    case OTF2_TYPE_INT8:
    case OTF2_TYPE_INT16:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_INT64:
      return static_cast<double>(value.signed_int);
    case OTF2_TYPE_FLOAT:
    case OTF2_TYPE_DOUBLE:
      return value.floating_point;
    default:
      return static_cast<double>(value.unsigned_int);
  }
}

}  // namespace

uint32_t References::of(const char* kind, const std::string& layer, const std::string& name, TimeClass time_class) {
  const auto [place, added] =
      numbers_.try_emplace({kind, layer, name, time_class}, static_cast<uint32_t>(list_.size()));
  if (added) {
    const std::string all = std::string(kind) + " " + layer + " " + name + " ";
    list_.push_back(
        {base::hash_text(all + std::to_string(static_cast<int>(time_class))), kind, layer, name, time_class});
  }
  return place->second;
}

uint32_t Handles::of(uint64_t process, const std::string& path) {
  const auto [place, added] = numbers_.try_emplace({process, path}, 0);
  if (added) {
    place->second = ++counts_[process];
    list_.push_back({process, place->second, path});
  }
  return place->second;
}

LocationReader::LocationReader(const KnownDefinitions& known, References& references, Handles& handles,
                               uint64_t process, bool own)
    : known_(known), references_(references), handles_(handles), process_(process), own_(own) {}

uint64_t LocationReader::time_of(OTF2_TimeStamp time) const {
  const uint64_t ticks = time < known_.begin ? 0 : time - known_.begin;
  const auto ns = static_cast<unsigned __int128>(ticks) * 1'000'000'000 / known_.resolution;
  // The archive of a part of a trace begins with that part.
  return static_cast<uint64_t>(ns) + (own_ ? known_.begin : 0);
}

void LocationReader::put(EventKind kind, uint64_t time, uint32_t reference, uint32_t other, uint64_t size,
                         uint64_t place) {
  events_.push_back({time, size, place, model::kind_and_reference(kind, reference), other});
  ++taken_;
}

uint32_t LocationReader::reference_of(OTF2_RegionRef region, bool operation, TimeClass time_class,
                                      const std::string& layer) {
  static const KnownRegion kNone;
  const auto found = known_.regions.find(region);
  const KnownRegion& what = found == known_.regions.end() ? kNone : found->second;
  const std::string of = own_ ? what.description : layer_of_call(what, layer);
  return references_.of(operation ? "function" : "region", of, what.name, time_class);
}

std::string LocationReader::layer_of_handle(OTF2_IoHandleRef handle) const {
  const auto found = known_.handles.find(handle);
  const OTF2_IoParadigmRef used = found == known_.handles.end() ? 0 : found->second.paradigm;
  return layer_of_paradigm(KnownDefinitions::of(known_.paradigms, used));
}

uint32_t LocationReader::handle_of(OTF2_IoHandleRef handle) {
  const auto found = known_.handles.find(handle);
  if (found == known_.handles.end()) return 0;
  const std::string& file = KnownDefinitions::of(known_.files, found->second.file);
  const std::string& path = file.empty() ? found->second.name : file;
  return path.empty() || (own_ && path == "unknown") ? 0 : handles_.of(process_, path);
}

bool LocationReader::attribute(OTF2_AttributeList* list, const char* name, uint64_t& value) const {
  for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(list); ++i) {
    OTF2_AttributeRef self;
    OTF2_Type type;
    OTF2_AttributeValue found;
    if (OTF2_AttributeList_GetAttributeByIndex(list, i, &self, &type, &found) != OTF2_SUCCESS) continue;
    if (KnownDefinitions::of(known_.attributes, self) != name) continue;
    if (type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64)
      value = found.uint64;
    else if (type == OTF2_TYPE_UINT32 || type == OTF2_TYPE_INT32 || type == OTF2_TYPE_IO_HANDLE)
      value = found.uint32;
    else
      continue;
    return true;
  }
  return false;
}

/// A call on a file is an operation; whether one of a library is shows when a record of it comes.
void LocationReader::enter(OTF2_TimeStamp time, OTF2_AttributeList* list, OTF2_RegionRef region) {
  const auto found = known_.regions.find(region);
  const KnownRegion what = found == known_.regions.end() ? KnownRegion() : found->second;
  const bool library =
      what.paradigm == OTF2_PARADIGM_MPI || (own_ && what.description != "posix" && what.description != "stdio");
  uint64_t file = 0, size = 0, offset = model::kUnknownPlace;
  const bool named = attribute(list, "File", file);
  const bool on_files = is_file_role(what.role) || (says_nothing(what, own_) && what.by_name.on_files);
  const bool operation = named || (on_files && !library);
  open_.push_back({events_.size(), region, operation, false, 0, model::kUnknownPlace});
  const uint32_t reference = reference_of(region, operation, class_of(what, own_));
  if (!operation) return put(EventKind::kEnter, time_of(time), reference, 0, 0, 0);
  attribute(list, "Bytes asked for", size);
  attribute(list, "Offset", offset);
  put(EventKind::kIoBegin, time_of(time), reference, named ? handle_of(static_cast<uint32_t>(file)) : 0, size, offset);
}

void LocationReader::leave(OTF2_TimeStamp time, OTF2_AttributeList* list, OTF2_RegionRef region) {
  if (open_.empty() || open_.back().region != region) {  // verify tells of it
    static const KnownRegion kNone;
    const auto found = known_.regions.find(region);
    const TimeClass what = class_of(found == known_.regions.end() ? kNone : found->second, own_);
    return put(EventKind::kLeave, time_of(time), reference_of(region, false, what), 0, 0, 0);
  }
  const Frame frame = open_.back();
  open_.pop_back();
  const Event begin = events_[frame.at];
  uint64_t moved = frame.moved, error = 0;
  if (!frame.told) attribute(list, "Bytes moved", moved);
  attribute(list, "Errno", error);
  const EventKind kind = frame.operation ? EventKind::kIoEnd : EventKind::kLeave;
  uint64_t reached = 0;
  const bool reaches = !frame.operation && attribute(list, "Rank reached", reached) && reached < ~uint32_t{0};
  const uint32_t other = reaches ? static_cast<uint32_t>(reached) + 1 : begin.other;
  put(kind, time_of(time), begin.reference(), other, moved, frame.operation ? error : 0);
}

/// What the call around it is, if it is one of a file; else an operation by itself would have no name.
void LocationReader::operation_begin(OTF2_TimeStamp, OTF2_AttributeList* list, OTF2_IoHandleRef handle,
                                     OTF2_IoOperationMode mode, uint64_t bytes) {
  if (open_.empty() || open_.back().told) return;
  Frame& frame = open_.back();
  const TimeClass what = mode == OTF2_IO_OPERATION_MODE_READ    ? TimeClass::kRead
                         : mode == OTF2_IO_OPERATION_MODE_WRITE ? TimeClass::kWrite
                                                                : TimeClass::kMetadata;
  Event& begin = events_[frame.at];
  begin.kind_and_reference =
      model::kind_and_reference(EventKind::kIoBegin, reference_of(frame.region, true, what, layer_of_handle(handle)));
  begin.other = handle_of(handle);
  begin.size = bytes == OTF2_UNDEFINED_UINT64 ? 0 : bytes;
  begin.place = frame.seek;  // EZTrace tells the offset of a pread as a seek
  attribute(list, "Offset", begin.place);
  frame.operation = frame.told = true;
  ++taken_;
}

void LocationReader::metadata(OTF2_IoHandleRef handle, uint64_t seek) {
  if (open_.empty() || open_.back().told) return;
  Frame& frame = open_.back();
  frame.operation = true;
  frame.seek = seek;
  Event& begin = events_[frame.at];
  const uint32_t reference = reference_of(frame.region, true, TimeClass::kMetadata, layer_of_handle(handle));
  begin.kind_and_reference = model::kind_and_reference(EventKind::kIoBegin, reference);
  begin.other = handle_of(handle);
  begin.place = model::kUnknownPlace;
  ++taken_;
}

void LocationReader::operation_complete(uint64_t bytes) {
  if (open_.empty() || !open_.back().told) return;
  open_.back().moved = bytes == OTF2_UNDEFINED_UINT64 ? 0 : bytes;
  ++taken_;
}

void LocationReader::message(EventKind kind, OTF2_TimeStamp time, uint32_t peer, uint32_t communicator, uint32_t tag,
                             uint64_t bytes) {
  const auto found = known_.communicators.find(communicator);
  const std::string name = found == known_.communicators.end() ? "" : found->second.first;
  const uint32_t reference = references_.of("communicator", "mpi", name, TimeClass::kMessages);
  put(kind, time_of(time), reference, known_.rank_of(communicator, peer), bytes, tag);
}

/// What the library calls, with a LocationReader as user.
struct LocationReader::Calls {
  static constexpr OTF2_CallbackCode kOn = OTF2_CALLBACK_SUCCESS;
  static LocationReader& of(void* user) { return *static_cast<LocationReader*>(user); }

  static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList* list,
                                 OTF2_RegionRef region) {
    of(user).enter(time, list, region);
    return kOn;
  }
  static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList* list,
                                 OTF2_RegionRef region) {
    of(user).leave(time, list, region);
    return kOn;
  }
  static OTF2_CallbackCode begin(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList* list,
                                 OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag,
                                 uint64_t bytes, uint64_t) {
    of(user).operation_begin(time, list, handle, mode, bytes);
    return kOn;
  }
  static OTF2_CallbackCode create(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* user, OTF2_AttributeList*,
                                  OTF2_IoHandleRef handle, OTF2_IoAccessMode, OTF2_IoCreationFlag, OTF2_IoStatusFlag) {
    of(user).metadata(handle, model::kUnknownPlace);
    return kOn;
  }
  static OTF2_CallbackCode destroy(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* user, OTF2_AttributeList*,
                                   OTF2_IoHandleRef handle) {
    of(user).metadata(handle, model::kUnknownPlace);
    return kOn;
  }
  static OTF2_CallbackCode seek(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* user, OTF2_AttributeList*,
                                OTF2_IoHandleRef handle, int64_t, OTF2_IoSeekOption, uint64_t result) {
    of(user).metadata(handle, result);
    return kOn;
  }
  static OTF2_CallbackCode complete(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* user, OTF2_AttributeList*,
                                    OTF2_IoHandleRef, uint64_t bytes, uint64_t) {
    of(user).operation_complete(bytes);
    return kOn;
  }
  static OTF2_CallbackCode send(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList*,
                                uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes) {
    of(user).message(EventKind::kSend, time, peer, communicator, tag, bytes);
    return kOn;
  }
  static OTF2_CallbackCode receive(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList*,
                                   uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes) {
    of(user).message(EventKind::kReceive, time, peer, communicator, tag, bytes);
    return kOn;
  }
  static OTF2_CallbackCode isend(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position, void* user,
                                 OTF2_AttributeList* list, uint32_t peer, OTF2_CommRef communicator, uint32_t tag,
                                 uint64_t bytes, uint64_t) {
    return send(at, time, position, user, list, peer, communicator, tag, bytes);
  }
  static OTF2_CallbackCode irecv(OTF2_LocationRef at, OTF2_TimeStamp time, uint64_t position, void* user,
                                 OTF2_AttributeList* list, uint32_t peer, OTF2_CommRef communicator, uint32_t tag,
                                 uint64_t bytes, uint64_t) {
    return receive(at, time, position, user, list, peer, communicator, tag, bytes);
  }
  /// One that does not end is left out.
  static OTF2_CallbackCode collective_begin(OTF2_LocationRef, OTF2_TimeStamp, uint64_t, void* user,
                                            OTF2_AttributeList*) {
    ++of(user).collectives_;
    return kOn;
  }
  static OTF2_CallbackCode collective_end(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user,
                                          OTF2_AttributeList*, OTF2_CollectiveOp, OTF2_CommRef communicator,
                                          uint32_t root, uint64_t sent, uint64_t received) {
    LocationReader& self = of(user);
    if (self.collectives_ == 0) return kOn;
    --self.collectives_;
    ++self.taken_;
    const auto found = self.known_.communicators.find(communicator);
    const std::string name = found == self.known_.communicators.end() ? "" : found->second.first;
    const uint32_t reference = self.references_.of("communicator", "mpi", name, TimeClass::kMessages);
    const bool rooted = root < OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    const uint32_t rank = rooted ? self.known_.rank_of(communicator, root) : model::kNoRoot;
    self.put(EventKind::kCollective, self.time_of(time), reference, rank, sent, received);
    return kOn;
  }
  static OTF2_CallbackCode metric(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList*,
                                  OTF2_MetricRef metric, uint8_t count, const OTF2_Type* types,
                                  const OTF2_MetricValue* values) {
    LocationReader& self = of(user);
    const auto members = self.known_.metrics.find(metric);
    if (members == self.known_.metrics.end()) return kOn;
    for (uint8_t i = 0; i < count && i < members->second.size(); ++i) {
      const std::string& name = KnownDefinitions::of(self.known_.members, members->second[i]);
      const uint32_t reference = self.references_.of("counter", "", name, TimeClass::kProgram);
      self.put(EventKind::kCounter, self.time_of(time), reference, 0,
               std::bit_cast<uint64_t>(real_of(types[i], values[i])), 0);
      self.taken_ -= i > 0;  // one record
    }
    return kOn;
  }
};

OTF2_EvtReaderCallbacks* LocationReader::callbacks() {
  OTF2_EvtReaderCallbacks* calls = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(calls, Calls::enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(calls, Calls::leave);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(calls, Calls::begin);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(calls, Calls::complete);
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(calls, Calls::create);
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(calls, Calls::destroy);
  OTF2_EvtReaderCallbacks_SetIoSeekCallback(calls, Calls::seek);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls, Calls::send);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(calls, Calls::receive);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls, Calls::isend);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(calls, Calls::irecv);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(calls, Calls::collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, Calls::collective_end);
  OTF2_EvtReaderCallbacks_SetMetricCallback(calls, Calls::metric);
  return calls;
}

}  // namespace headrace::convert::otf2
