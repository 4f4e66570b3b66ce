// A few files for all ranks of a program, each with slots of its own (format/slots.h). What has no rank, or had none
// yet when it stored the first time, has no slot.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <array>

#include "base/crc32c.h"
#include "capture/harvest/trace_sink.h"
#include "format/chunk.h"
#include "format/slot_sink.h"

namespace headrace::capture {
namespace {

using base::Result;

/// The first chunk of a stream, without payload: whose it is.
constexpr uint32_t kSlotKind = format::kind_of("SLOT");

format::ChunkHeader claim_of(const StreamOf& of) {
  format::ChunkHeader header;
  header.kind = kSlotKind;
  header.set_name("slot");
  header.job = of.job;
  header.producer = {of.process, static_cast<uint32_t>(of.rank), 0};
  header.payload_crc = base::crc32c(base::Bytes());
  return header;
}

enum class Claimed { kByNobody, kByUs, kByOthers };

/// A slot's owner is who wrote its claim. What is neither a claim nor blank was torn by a kill, before anything else
/// was written.
Claimed look(const std::string& path, uint64_t offset, const StreamOf& of) {
  std::array<uint8_t, format::kHeaderSize> bytes;
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const ssize_t got = descriptor < 0 ? -1 : pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (descriptor >= 0) close(descriptor);
  if (got != static_cast<ssize_t>(bytes.size())) return Claimed::kByNobody;
  const auto header = format::decode_header(bytes);
  if (!header.ok()) return Claimed::kByNobody;
  return header->producer.process == of.process && header->job == of.job ? Claimed::kByUs : Claimed::kByOthers;
}

class SlotFiles : public TraceSink {
 public:
  SlotFiles(const StreamDirectory& directory, uint64_t files) : directory_(directory), files_(files) {}

  Result<std::unique_ptr<format::Sink>> open(const StreamOf& of, StreamPlace& place) override {
    if (of.rank < 0 || static_cast<uint64_t>(of.rank) >= of.ranks || of.ranks > format::kMostStreams)
      return std::unique_ptr<format::Sink>();
    const format::Slots slots{of.ranks, std::min(files_, of.ranks)};
    const auto stream = static_cast<uint64_t>(of.rank);
    char name[64];
    snprintf(name, sizeof name, "slots-%016lx-%05lu.hr", of.instance, slots.file_of(stream));
    HEADRACE_ASSIGN(const std::string path, directory_.path_of(name));
    if (!place.file.empty()) return format::SlotSink::open(path, slots, stream, place.position);
    // A rank that becomes another program is a process of its own with the same number.
    const Claimed claimed = look(path, slots.offset(stream, 0), of);
    if (claimed == Claimed::kByOthers) return std::unique_ptr<format::Sink>();
    HEADRACE_ASSIGN(auto sink, format::SlotSink::open(path, slots, stream, place.position));
    directory_.permit(path);
    std::array<uint8_t, format::kHeaderSize> claim;
    format::encode_header(claim_of(of), claim);
    HEADRACE_TRY(sink->append(claim).status());
    place.file = name;
    return sink;
  }

 private:
  StreamDirectory directory_;
  uint64_t files_;
};

}  // namespace

std::unique_ptr<TraceSink> make_slot_files(const StreamDirectory& directory, uint64_t files) {
  return std::make_unique<SlotFiles>(directory, files);
}

}  // namespace headrace::capture
