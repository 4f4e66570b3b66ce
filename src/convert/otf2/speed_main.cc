// The same events written and read as a trace of Headrace and by the OTF2 library: processor time in one thread, files
// and all, and bytes.
//
//   otf2_speed DIRECTORY [COUNT]      events a stream, default 4000000; the directory keeps nothing
//
// Both take turns, five rounds; a line has the median of each, and how many times as fast, and as small, Headrace is.
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/hash.h"
#include "events/event_cursor.h"
#include "events/made_streams.h"
#include "events/trace_writer.h"
#include "format/sink.h"

namespace headrace::convert::otf2 {
namespace {

namespace fs = std::filesystem;
using model::Event;
using model::EventKind;

constexpr int kRounds = 5;

[[noreturn]] void give_up(const char* what) {
  fprintf(stderr, "otf2_speed: %s\n", what);
  exit(1);
}
void check(bool good, const char* what) {
  if (!good) give_up(what);
}

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
  const double begin = processor_seconds();
  work();
  return processor_seconds() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

uint64_t bytes_in(const fs::path& place) {
  if (!fs::is_directory(place)) return fs::file_size(place);
  uint64_t bytes = 0;
  for (const auto& each : fs::recursive_directory_iterator(place))
    if (each.is_regular_file()) bytes += each.file_size();
  return bytes;
}

// --- Headrace -----------------------------------------------------------------------------------------------------

void write_trace(const std::string& path, const std::vector<Event>& events, uint8_t shift) {
  std::vector<events::Reference> references;
  for (uint64_t i = 0; i < 200; ++i)
    references.push_back({base::mix(77, i), "region", "", "region " + std::to_string(i),
                          static_cast<model::TimeClass>(i % model::kTimeClasses)});
  auto sink = format::FileSink::open(path, format::FileSink::Mode::kReplace);
  check(sink.ok(), "the trace cannot be made");
  auto writer = events::TraceWriter::open(std::move(*sink), 1);
  check(writer.ok() && writer->add({.process = 1, .thread = 1, .rank = 0}, events, references, shift).ok() &&
            writer->close().ok(),
        "the trace cannot be written");
}

uint64_t read_trace(const std::string& path) {
  auto reader = events::TraceReader::open(path);
  check(reader.ok(), "the trace cannot be read");
  uint64_t count = 0, sum = 0;
  events::EventCursor cursor(*reader, reader->locations()[0]);
  while (*cursor.next()) {
    for (const Event& event : cursor.events()) sum += event.time;
    count += cursor.events().size();
  }
  check(sum != 0, "the trace has no times");
  return count;
}

// --- the OTF2 library ---------------------------------------------------------------------------------------------

OTF2_FlushType always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
constexpr OTF2_FlushCallbacks kFlush = {always, nullptr};

/// An event, a record. Matching ids count, as tools let them.
struct Records {
  OTF2_EvtWriter* writer;
  OTF2_AttributeList* attributes;
  bool offsets;
  uint64_t matching = 0;

  OTF2_ErrorCode put(const Event& event) {
    switch (event.kind()) {
      case EventKind::kEnter:
        return OTF2_EvtWriter_Enter(writer, nullptr, event.time, event.reference());
      case EventKind::kLeave:
        return OTF2_EvtWriter_Leave(writer, nullptr, event.time, event.reference());
      case EventKind::kIoBegin:
        if (offsets) OTF2_AttributeList_AddUint64(attributes, 0, event.place);
        return OTF2_EvtWriter_IoOperationBegin(writer, offsets ? attributes : nullptr, event.time, event.other,
                                               OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE, event.size,
                                               ++matching);
      case EventKind::kIoEnd:
        return OTF2_EvtWriter_IoOperationComplete(writer, nullptr, event.time, event.other, event.size, matching);
      case EventKind::kSend:
        return OTF2_EvtWriter_MpiSend(writer, nullptr, event.time, event.other, event.reference(),
                                      static_cast<uint32_t>(event.place), event.size);
      case EventKind::kReceive:
        return OTF2_EvtWriter_MpiRecv(writer, nullptr, event.time, event.other, event.reference(),
                                      static_cast<uint32_t>(event.place), event.size);
      case EventKind::kCollective:
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, event.time, OTF2_COLLECTIVE_OP_ALLREDUCE,
                                               event.reference(), event.other, event.size, event.place);
      case EventKind::kCounter:
        break;
    }
    return OTF2_ERROR_INVALID_ARGUMENT;
  }
};

void write_archive(const std::string& path, const std::vector<Event>& events, bool offsets) {
  OTF2_Archive* archive =
      OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  check(archive != nullptr, "the archive cannot be made");
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, 0);
  Records records{writer, OTF2_AttributeList_New(), offsets};
  for (const Event& event : events)
    if (records.put(event) != OTF2_SUCCESS) give_up("a record cannot be written");
  OTF2_AttributeList_Delete(records.attributes);
  check(OTF2_Archive_CloseEvtWriter(archive, writer) == OTF2_SUCCESS, "the archive cannot be written");
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_GlobalDefWriter* definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteString(definitions, 0, "");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  OTF2_GlobalDefWriter_WriteLocation(definitions, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events.size(), 0);
  OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
  check(OTF2_Archive_Close(archive) == OTF2_SUCCESS, "the archive cannot be closed");
}

/// A callback of any record: it takes the time alone, as the reading of a trace above does.
template <typename... Rest>
OTF2_CallbackCode take(OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* sum, OTF2_AttributeList*, Rest...) {
  *static_cast<uint64_t*>(sum) += time;
  return OTF2_CALLBACK_SUCCESS;
}

uint64_t read_archive(const std::string& path) {
  OTF2_Reader* reader = OTF2_Reader_Open((path + "/traces.otf2").c_str());
  check(reader != nullptr, "the archive cannot be read");
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_SelectLocation(reader, 0);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, 0);
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, take);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, take);
  uint64_t sum = 0, count = 0;
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &sum);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  check(OTF2_Reader_ReadAllLocalEvents(reader, events, &count) == OTF2_SUCCESS && sum != 0, "no events in the archive");
  OTF2_Reader_CloseEvtReader(reader, events);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_Close(reader);
  return count;
}

// --- both ---------------------------------------------------------------------------------------------------------

struct Times {
  std::vector<double> writing, reading;
};

void compare(const std::string& place, const char* name, const std::vector<Event>& events, uint8_t shift,
             bool offsets) {
  const std::string trace = place + "/speed.trace.hr", archive = place + "/speed-otf2";
  Times ours, theirs;
  std::vector<double> writing, reading;
  uint64_t our_bytes = 0, their_bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    fs::remove(trace);
    fs::remove_all(archive);
    ours.writing.push_back(seconds_of([&] { write_trace(trace, events, shift); }));
    theirs.writing.push_back(seconds_of([&] { write_archive(archive, events, offsets); }));
    ours.reading.push_back(seconds_of([&] { check(read_trace(trace) == events.size(), "events are missing"); }));
    theirs.reading.push_back(seconds_of([&] { check(read_archive(archive) == events.size(), "records are missing"); }));
    writing.push_back(theirs.writing.back() / ours.writing.back());
    reading.push_back(theirs.reading.back() / ours.reading.back());
    our_bytes = bytes_in(trace);
    their_bytes = bytes_in(archive);
  }
  fs::remove(trace);
  fs::remove_all(archive);
  const auto count = static_cast<double>(events.size());
  const auto millions = [&](const Times& times, bool write) {
    return count / median(write ? times.writing : times.reading) / 1e6;
  };
  printf(
      "%-8s %2u ns %-10s  write %6.1f  %6.1f  %5.2f times   read %6.1f  %6.1f  %5.2f times   bytes %6.3f %7.3f  "
      "1/%.1f\n",
      name, 1u << shift, offsets ? "+ offsets" : "", millions(ours, true), millions(theirs, true), median(writing),
      millions(ours, false), millions(theirs, false), median(reading), static_cast<double>(our_bytes) / count,
      static_cast<double>(their_bytes) / count, static_cast<double>(their_bytes) / static_cast<double>(our_bytes));
  fflush(stdout);
}

}  // namespace
}  // namespace headrace::convert::otf2

int main(int argc, char** argv) {
  using headrace::convert::otf2::compare;
  using headrace::events::MadeStream;
  if (argc < 2) {
    fprintf(stderr, "usage: otf2_speed DIRECTORY [COUNT]\n");
    return 2;
  }
  const size_t count = argc > 2 ? strtoull(argv[2], nullptr, 10) : 4'000'000;
  printf("millions of events a second, Headrace and OTF2; bytes an event, Headrace and OTF2\n");
  for (const uint8_t shift : {uint8_t{0}, uint8_t{4}}) {
    for (const bool offsets : {true, false}) {
      compare(argv[1], "s3d", MadeStream::s3d(count), shift, offsets);
      compare(argv[1], "regular", MadeStream::regular(count), shift, offsets);
      compare(argv[1], "random", MadeStream::random(count), shift, offsets);
    }
  }
  return 0;
}
