// The reader of spools: whatever a dying program left, reading ends, stays inside the bytes and keeps its promises.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capture/harvest/spool_reader.h"
#include "capture/spool_layout.h"

namespace {

using namespace headrace;

struct Sink : capture::RecordSink {
  void record(const model::FileRecord& record) override {
    ++records;
    for (const model::CallSite& site : record.call_sites) {
      if (site.stack == 0) __builtin_trap();
    }
    if (record.final_path.empty() && !record.path.empty()) __builtin_trap();
    for (uint32_t d = 0; d < model::kDirections; ++d) {
      if (record.common_sizes[d].most_common(4).size() > 4) __builtin_trap();
    }
  }
  uint64_t records = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::byte> bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  // The first words decide whether anything is read at all, so most inputs get them right.
  if (size >= sizeof(capture::Header) && data[0] != 0xff) {
    const uint64_t magic = capture::kSpoolMagic;
    const uint32_t words[] = {capture::kSpoolVersion, sizeof(capture::Header)};
    std::memcpy(bytes.data(), &magic, sizeof magic);
    std::memcpy(bytes.data() + sizeof magic, words, sizeof words);
  }
  const capture::Moment start{1, 1'000'000, 1'700'000'000'000'000'000, 1'000'000};
  const capture::Moment now{1'000'000'000, 500'000'000, 1'700'000'000'499'000'000, 500'000'000};
  Sink sink;
  const auto contents = capture::read_spool(bytes, "input", start, now, sink);
  if (!contents.ok()) {
    if (contents.message().empty() || sink.records != 0) __builtin_trap();
    return 0;
  }
  // No block is counted twice, so there cannot be more of them than fit.
  const uint64_t rollups = capture::kExclusionRules + 1;
  if (sink.records > size / sizeof(capture::Record) + rollups) __builtin_trap();
  for (const headrace::model::Stack& stack : contents->stacks) {
    if (stack.id == 0 || stack.frames.empty() || stack.frames.size() > capture::kStackFrames + capture::kPythonFrames)
      __builtin_trap();
  }
  if (contents->process.end_at_ns > 499'000'000 || contents->process.start_at_ns == 0) __builtin_trap();
  return 0;
}
