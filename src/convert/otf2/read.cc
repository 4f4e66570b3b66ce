#include "convert/otf2/read.h"

#include <cstdlib>

#include "convert/otf2/archive.h"
#include "convert/otf2/location_reader.h"

namespace headrace::convert::otf2 {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr uint64_t kAtOnce = 1u << 16;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};

class ArchiveReader {
 public:
  ArchiveReader(const std::string& anchor, events::TraceWriter& writer, const std::function<bool(uint64_t)>& go_on)
      : anchor_(anchor), writer_(writer), go_on_(go_on) {}

  Result<Imported> read() {
    reader_.reset(OTF2_Reader_Open(anchor_.c_str()));
    if (!reader_) return complaints_.failed(OTF2_ERROR_INVALID_ARGUMENT, anchor_);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get());
    const OTF2_ErrorCode code = read_definitions(reader_.get(), known_);
    if (code != OTF2_SUCCESS) return complaints_.failed(code, anchor_);
    char* creator = nullptr;
    if (OTF2_Reader_GetCreator(reader_.get(), &creator) == OTF2_SUCCESS && creator != nullptr) creator_ = creator;
    free(creator);
    const bool own = creator_ == "Headrace";
    HEADRACE_TRY(writer_.add_facts({{"converted_from", "OTF2 archive of " + creator_},
                                    {"start_utc_ns", std::to_string(known_.start_utc_ns - (own ? known_.begin : 0))}}));
    for (const KnownLocation& location : known_.locations) OTF2_Reader_SelectLocation(reader_.get(), location.self);
    read_local_definitions();
    OTF2_Reader_OpenEvtFiles(reader_.get());
    for (const KnownLocation& location : known_.locations) HEADRACE_TRY(read_location(location, own));
    HEADRACE_TRY(writer_.add(handles_.list()));
    HEADRACE_TRY(writer_.close());
    return imported_;
  }

 private:
  /// What numbers of a location mean in the whole archive, and how its clock differs. Not every archive has them.
  void read_local_definitions() {
    if (OTF2_Reader_OpenDefFiles(reader_.get()) != OTF2_SUCCESS) return;
    for (const KnownLocation& location : known_.locations) {
      OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader_.get(), location.self);
      if (definitions == nullptr) continue;
      uint64_t count = 0;
      OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), definitions, &count);
      OTF2_Reader_CloseDefReader(reader_.get(), definitions);
    }
    OTF2_Reader_CloseDefFiles(reader_.get());
  }

  Status read_location(const KnownLocation& location, bool own) {
    KnownProcess& process = known_.processes[location.process];
    LocationReader records(known_, references_, handles_, process.process, own);
    OTF2_EvtReader* reader = OTF2_Reader_GetEvtReader(reader_.get(), location.self);
    if (reader != nullptr) {
      OTF2_EvtReaderCallbacks* calls = LocationReader::callbacks();
      OTF2_Reader_RegisterEvtCallbacks(reader_.get(), reader, calls, &records);
      OTF2_EvtReaderCallbacks_Delete(calls);
      HEADRACE_TRY(read_records(reader, records));
      OTF2_Reader_CloseEvtReader(reader_.get(), reader);
    }
    const auto thread = static_cast<uint32_t>(location.thread != 0 ? location.thread : ++process.threads);
    HEADRACE_TRY(writer_.add({.process = process.process,
                              .thread = thread,
                              .rank = process.rank,
                              .host = process.host,
                              .process_id = static_cast<uint32_t>(process.pid)},
                             records.events(), references_.list()));
    ++imported_.locations;
    imported_.events += records.events().size();
    return {};
  }

  Status read_records(OTF2_EvtReader* reader, LocationReader& records) {
    uint64_t all = 0;
    for (uint64_t count = kAtOnce; count == kAtOnce; all += count) {
      const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader_.get(), reader, kAtOnce, &count);
      if (code != OTF2_SUCCESS) return complaints_.failed(code, anchor_);
      if (go_on_ && !go_on_(imported_.events + records.events().size())) return {Code::kInvalid, "interrupted"};
    }
    imported_.records += all;
    imported_.untold += all - records.taken();
    return {};
  }

  const std::string& anchor_;
  events::TraceWriter& writer_;
  const std::function<bool(uint64_t)>& go_on_;
  Complaints complaints_;
  KnownDefinitions known_;
  References references_;
  Handles handles_;
  Imported imported_;
  std::string creator_;
  std::unique_ptr<OTF2_Reader, CloseReader> reader_;
};

}  // namespace

Result<Imported> read(const std::string& anchor, std::unique_ptr<format::Sink> sink,
                      const std::function<bool(uint64_t)>& go_on) {
  HEADRACE_ASSIGN(events::TraceWriter writer, events::TraceWriter::open(std::move(sink), 0));
  return ArchiveReader(anchor, writer, go_on).read();
}

}  // namespace headrace::convert::otf2
