#pragma once
// Small traces for tests, in memory.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "events/trace_reader.h"
#include "events/trace_writer.h"
#include "format/sink.h"

namespace headrace::events {

class MadeTrace {
 public:
  MadeTrace() : writer_(TraceWriter::open(std::make_unique<format::MemorySink>(bytes_), 77).value()) {}
  MadeTrace(const MadeTrace&) = delete;
  MadeTrace& operator=(const MadeTrace&) = delete;

  /// A number for events.
  uint32_t reference(const std::string& kind, const std::string& name, model::TimeClass time_class,
                     const std::string& layer = "posix") {
    references_.push_back({base::hash_text(kind + " " + layer + " " + name), kind, layer, name, time_class});
    return static_cast<uint32_t>(references_.size() - 1);
  }

  void add(const Location& location, const std::vector<model::Event>& events, uint8_t tick_shift = 0) {
    EXPECT_TRUE(writer_.add(location, events, references_, tick_shift).ok());
  }

  TraceWriter& writer() { return writer_; }
  std::vector<uint8_t>& bytes() { return bytes_; }

  TraceReader finish() {
    EXPECT_TRUE(writer_.close().ok());
    return reader();
  }
  TraceReader reader() { return TraceReader::open_memory(bytes_).value(); }

  /// Changes bytes of the n-th chunk of events, from this place in it on; 0 is its header.
  void damage(size_t chunk, size_t at) {
    const TraceReader before = reader();
    for (const format::ChunkInfo& info : before.chunks())
      if (info.header.name() == "events" && chunk-- == 0) bytes_[info.offset + at] ^= 0x55;
  }

 private:
  std::vector<uint8_t> bytes_;
  TraceWriter writer_;
  std::vector<Reference> references_;
};

inline model::Event event(uint64_t time, model::EventKind kind, uint32_t reference, uint32_t other = 0,
                          uint64_t size = 0, uint64_t place = 0) {
  return {time, size, place, model::kind_and_reference(kind, reference), other};
}

}  // namespace headrace::events
