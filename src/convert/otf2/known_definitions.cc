#include "convert/otf2/known_definitions.h"

namespace headrace::convert::otf2 {

namespace {

constexpr OTF2_CallbackCode kOn = OTF2_CALLBACK_SUCCESS;

KnownDefinitions& of(void* user) { return *static_cast<KnownDefinitions*>(user); }

OTF2_CallbackCode clock(void* user, uint64_t resolution, uint64_t offset, uint64_t, uint64_t realtime) {
  of(user).resolution = resolution == 0 ? 1 : resolution;
  of(user).begin = offset;
  of(user).start_utc_ns = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
  return kOn;
}
OTF2_CallbackCode text(void* user, OTF2_StringRef self, const char* bytes) {
  of(user).texts[self] = bytes;
  return kOn;
}
OTF2_CallbackCode attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
  of(user).attributes[self] = of(user).text(name);
  return kOn;
}
OTF2_CallbackCode node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef,
                       OTF2_SystemTreeNodeRef) {
  of(user).hosts[self] = of(user).text(name);
  return kOn;
}
OTF2_CallbackCode group_of_locations(void* user, OTF2_LocationGroupRef self, OTF2_StringRef, OTF2_LocationGroupType,
                                     OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef) {
  of(user).processes[self] = {
      .host = KnownDefinitions::of(of(user).hosts, parent), .process = uint64_t{self} + 1, .pid = 0};
  return kOn;
}
OTF2_CallbackCode process_property(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_Type type,
                                   OTF2_AttributeValue value) {
  if (type != OTF2_TYPE_UINT64) return kOn;
  if (of(user).text(name) == "process") of(user).processes[self].process = value.uint64;
  if (of(user).text(name) == "pid") of(user).processes[self].pid = value.uint64;
  return kOn;
}
OTF2_CallbackCode location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType, uint64_t,
                           OTF2_LocationGroupRef process) {
  KnownDefinitions& all = of(user);
  if (all.location_of.try_emplace(self, all.locations.size()).second) all.locations.push_back({self, 0, process});
  return kOn;
}
OTF2_CallbackCode location_property(void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_Type type,
                                    OTF2_AttributeValue value) {
  const auto found = of(user).location_of.find(self);
  if (found != of(user).location_of.end() && type == OTF2_TYPE_UINT64 && of(user).text(name) == "thread")
    of(user).locations[found->second].thread = value.uint64;
  return kOn;
}
OTF2_CallbackCode region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                         OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                         OTF2_RegionFlag flags, OTF2_StringRef, uint32_t, uint32_t) {
  const std::string& named = of(user).text(name);
  of(user).regions[self] = {named, of(user).text(description), role, paradigm, flags, known_name(named, paradigm)};
  return kOn;
}
// EZTrace defines groups and communicators several times under one number; the first is that of all ranks.
OTF2_CallbackCode group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                        OTF2_GroupFlag, uint32_t count, const uint64_t* members) {
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI)
    of(user).ranks.assign(members, members + count);
  else if (type == OTF2_GROUP_TYPE_COMM_GROUP)
    of(user).groups.try_emplace(self, members, members + count);
  return kOn;
}
OTF2_CallbackCode member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
                         OTF2_MetricMode, OTF2_Type, OTF2_Base, int64_t, OTF2_StringRef) {
  of(user).members[self] = of(user).text(name);
  return kOn;
}
OTF2_CallbackCode metric(void* user, OTF2_MetricRef self, uint8_t count, const OTF2_MetricMemberRef* members,
                         OTF2_MetricOccurrence, OTF2_RecorderKind) {
  of(user).metrics[self].assign(members, members + count);
  return kOn;
}
OTF2_CallbackCode communicator(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef members, OTF2_CommRef,
                               OTF2_CommFlag) {
  of(user).communicators.try_emplace(self, of(user).text(name), members);
  return kOn;
}
OTF2_CallbackCode paradigm(void* user, OTF2_IoParadigmRef self, OTF2_StringRef identification, OTF2_StringRef,
                           OTF2_IoParadigmClass, OTF2_IoParadigmFlag, uint8_t, const OTF2_IoParadigmProperty*,
                           const OTF2_Type*, const OTF2_AttributeValue*) {
  of(user).paradigms[self] = of(user).text(identification);
  return kOn;
}
OTF2_CallbackCode file(void* user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef) {
  of(user).files[self] = of(user).text(name);
  return kOn;
}
OTF2_CallbackCode handle(void* user, OTF2_IoHandleRef self, OTF2_StringRef text, OTF2_IoFileRef name,
                         OTF2_IoParadigmRef used, OTF2_IoHandleFlag, OTF2_CommRef, OTF2_IoHandleRef) {
  of(user).handles[self] = {of(user).text(text), name, used};
  return kOn;
}

}  // namespace

void KnownDefinitions::finish() {
  for (uint64_t rank = 0; rank < ranks.size() && rank <= INT32_MAX; ++rank) {
    const auto found = location_of.find(ranks[rank]);
    if (found != location_of.end()) processes[locations[found->second].process].rank = static_cast<int32_t>(rank);
  }
}

uint32_t KnownDefinitions::rank_of(uint32_t communicator, uint32_t rank) const {
  const auto known = communicators.find(communicator);
  const auto members = known == communicators.end() ? groups.end() : groups.find(known->second.second);
  const bool inside = members != groups.end() && rank < members->second.size();
  return inside ? static_cast<uint32_t>(members->second[rank]) : rank;
}

OTF2_ErrorCode read_definitions(OTF2_Reader* reader, KnownDefinitions& to) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) return OTF2_ERROR_FILE_INTERACTION;
  OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, text);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(calls, attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(calls, node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(calls, group_of_locations);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(calls, process_property);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, location);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(calls, location_property);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, group);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(calls, member);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(calls, metric);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, communicator);
  OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(calls, paradigm);
  OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(calls, file);
  OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(calls, file);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(calls, handle);
  OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, &to);
  OTF2_GlobalDefReaderCallbacks_Delete(calls);
  uint64_t count = 0;
  if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  to.finish();
  return code;
}

}  // namespace headrace::convert::otf2
