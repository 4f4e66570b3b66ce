#include "events/head_reader.h"

#include <algorithm>

namespace headrace::events {

using base::Code;
using base::Result;

namespace {

constexpr size_t kLongestGuess = 64 << 10;

}  // namespace

Result<EventChunk> HeadReader::head(const format::ChunkInfo& chunk) {
  HEADRACE_TRY(check_events_header(chunk.header));
  while (chunk.header.codec == format::Codec::kRaw) {
    HEADRACE_ASSIGN(const base::Bytes bytes, file_->beginning(chunk, length_, scratch_));
    Result<EventChunk> head = take_head(bytes);
    if (head.ok()) return head;
    const bool longer = head.code() == Code::kTruncated && bytes.size() < chunk.header.stored_length;
    if (!longer || length_ >= kLongestGuess) break;
    length_ *= 2;
  }
  return whole(chunk);
}

Result<EventChunk> HeadReader::whole(const format::ChunkInfo& chunk) {
  HEADRACE_TRY(check_events_header(chunk.header));
  HEADRACE_ASSIGN(payload_, file_->copy(chunk));
  return take_apart(payload_);
}

}  // namespace headrace::events
