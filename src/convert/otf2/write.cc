#include "convert/otf2/write.h"

#include <algorithm>
#include <memory>

#include "convert/otf2/archive.h"
#include "convert/otf2/location_writer.h"

namespace headrace::convert::otf2 {

using base::Code;
using base::Result;
using base::Status;

namespace {

OTF2_FlushType always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
constexpr OTF2_FlushCallbacks kFlush = {always, nullptr};

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
struct DeleteAttributes {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

class ArchiveWriter {
 public:
  ArchiveWriter(events::TraceReader& trace, const ExportOptions& options, const std::string& directory)
      : trace_(trace), options_(options), directory_(directory), definitions_(trace, options.locations) {}

  Result<Exported> write() {
    archive_.reset(OTF2_Archive_Open(directory_.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                     OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive_) return failed(OTF2_ERROR_FILE_INTERACTION);
    calls_(OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
    calls_(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    calls_(OTF2_Archive_SetCreator(archive_.get(), "Headrace"));
    calls_(OTF2_Archive_OpenEvtFiles(archive_.get()));
    if (!calls_.ok()) return failed(calls_.first);
    clock_.begin_at_ns = options_.range.begin_at_ns;
    for (const uint32_t location : options_.locations) HEADRACE_TRY(write_events(location));
    if (options_.locations.empty()) {
      OTF2_EvtWriter* none = OTF2_Archive_GetEvtWriter(archive_.get(), kNoPlace);
      calls_(none == nullptr ? OTF2_ERROR_FILE_INTERACTION : OTF2_Archive_CloseEvtWriter(archive_.get(), none));
    }
    calls_(OTF2_Archive_CloseEvtFiles(archive_.get()));
    write_definitions();
    if (calls_.ok()) calls_(OTF2_Archive_Close(archive_.release()));
    if (!calls_.ok()) return failed(calls_.first);
    return exported_;
  }

 private:
  Status write_events(uint32_t location) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_.get(), location);
    if (writer == nullptr) return failed(OTF2_ERROR_FILE_INTERACTION);
    LocationWriter records(trace_, trace_.locations()[location].what, definitions_, writer, attributes_.get(), known_,
                           exported_, calls_);
    HEADRACE_TRY(for_each_event(trace_, location, options_, exported_, [&](const BalancedEvent& event) {
      clock_.end_at_ns = std::max(clock_.end_at_ns, event.event.time);
      records.take(event);
    }));
    uint64_t count = 0;
    calls_(OTF2_EvtWriter_GetNumberOfEvents(writer, &count));
    calls_(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
    definitions_.count(location, count);
    exported_.records += count;
    return calls_.ok() ? Status() : failed(calls_.first);
  }

  /// Every location gets a file of definitions of its own, which is empty, because readers look for it.
  void write_definitions() {
    calls_(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (const uint32_t location : options_.locations) write_local_definitions(location);
    if (options_.locations.empty()) write_local_definitions(kNoPlace);
    calls_(OTF2_Archive_CloseDefFiles(archive_.get()));
    OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    if (writer == nullptr) return calls_(OTF2_ERROR_FILE_INTERACTION);
    definitions_.write(writer, clock_, calls_);
    calls_(OTF2_Archive_CloseGlobalDefWriter(archive_.get(), writer));
  }

  void write_local_definitions(OTF2_LocationRef location) {
    if (!calls_.ok()) return;
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_.get(), location);
    calls_(writer == nullptr ? OTF2_ERROR_FILE_INTERACTION : OTF2_Archive_CloseDefWriter(archive_.get(), writer));
  }

  Status failed(OTF2_ErrorCode code) const { return complaints_.failed(code, directory_); }

  events::TraceReader& trace_;
  const ExportOptions& options_;
  const std::string& directory_;
  Complaints complaints_;
  Definitions definitions_;
  std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
  std::unique_ptr<OTF2_AttributeList, DeleteAttributes> attributes_{OTF2_AttributeList_New()};
  std::vector<Known> known_;
  Exported exported_;
  Clock clock_;
  Calls calls_;
};

}  // namespace

Result<Exported> write(events::TraceReader& trace, const ExportOptions& options, const std::string& directory) {
  return ArchiveWriter(trace, options, directory).write();
}

}  // namespace headrace::convert::otf2
