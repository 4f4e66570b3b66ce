#pragma once
// The records of one location as events of a trace. Internal to otf2.

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "convert/otf2/known_definitions.h"
#include "events/trace_writer.h"

namespace headrace::convert::otf2 {

/// What events refer to, numbered as they come; over all locations.
class References {
 public:
  uint32_t of(const char* kind, const std::string& layer, const std::string& name, model::TimeClass time_class);
  const std::vector<events::Reference>& list() const { return list_; }

 private:
  std::map<std::tuple<std::string, std::string, std::string, model::TimeClass>, uint32_t> numbers_;
  std::vector<events::Reference> list_;
};

/// Files of a process, by path.
class Handles {
 public:
  uint32_t of(uint64_t process, const std::string& path);
  const std::vector<events::Handle>& list() const { return list_; }

 private:
  std::map<std::pair<uint64_t, std::string>, uint32_t> numbers_;
  std::unordered_map<uint64_t, uint32_t> counts_;
  std::vector<events::Handle> list_;
};

class LocationReader {
 public:
  /// `own`: Headrace wrote the archive, and descriptions of regions are their layers.
  LocationReader(const KnownDefinitions& known, References& references, Handles& handles, uint64_t process, bool own);

  /// For OTF2_Reader_RegisterEvtCallbacks, with this object.
  static OTF2_EvtReaderCallbacks* callbacks();

  const std::vector<model::Event>& events() const { return events_; }
  uint64_t taken() const { return taken_; }  // records that are in the events

 private:
  struct Frame {
    size_t at;  // of its begin in events_
    OTF2_RegionRef region;
    bool operation;  // it is an operation on a file
    bool told;       // by a record of its own, too
    uint64_t moved;
    uint64_t seek;  // where a seek in it led to, or kUnknownPlace
  };
  struct Calls;
  uint64_t time_of(OTF2_TimeStamp time) const;
  void put(model::EventKind kind, uint64_t time, uint32_t reference, uint32_t other, uint64_t size, uint64_t place);
  uint32_t reference_of(OTF2_RegionRef region, bool operation, model::TimeClass time_class,
                        const std::string& layer = {});
  uint32_t handle_of(OTF2_IoHandleRef handle);
  std::string layer_of_handle(OTF2_IoHandleRef handle) const;
  bool attribute(OTF2_AttributeList* list, const char* name, uint64_t& value) const;
  void enter(OTF2_TimeStamp time, OTF2_AttributeList* list, OTF2_RegionRef region);
  void leave(OTF2_TimeStamp time, OTF2_AttributeList* list, OTF2_RegionRef region);
  void operation_begin(OTF2_TimeStamp time, OTF2_AttributeList* list, OTF2_IoHandleRef handle,
                       OTF2_IoOperationMode mode, uint64_t bytes);
  void operation_complete(uint64_t bytes);
  /// The innermost call opens, closes or seeks in this file.
  void metadata(OTF2_IoHandleRef handle, uint64_t seek);
  void message(model::EventKind kind, OTF2_TimeStamp time, uint32_t peer, uint32_t communicator, uint32_t tag,
               uint64_t bytes);

  const KnownDefinitions& known_;
  References& references_;
  Handles& handles_;
  uint64_t process_;
  bool own_;
  std::vector<model::Event> events_;
  std::vector<Frame> open_;
  uint64_t collectives_ = 0;  // that have begun and not ended
  uint64_t taken_ = 0;
};

}  // namespace headrace::convert::otf2
