// What peers of forwarding send: headers, requests, answers and handles. Whatever decodes keeps the limits, and gives
// the same bytes again; and a server's inbox, fed with the bytes in pieces, ends with no more memory in use than it
// may.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forward/protocol/codec.h"
#include "forward/protocol/handle.h"
#include "forward/server/inbox.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

void check(bool good) {
  if (!good) __builtin_trap();
}

void decode(base::Bytes bytes) {
  if (bytes.size() < kHeaderBytes) return;
  auto header = decode_header(bytes.first(kHeaderBytes));
  if (!header.ok()) return;
  check(header->body <= kLongestBody && header->data <= kLongestData);
  const base::Bytes body = bytes.subspan(kHeaderBytes);
  header->body = static_cast<uint32_t>(body.size());
  std::vector<uint8_t> again;
  if (const auto request = decode_request(*header, body); request.ok()) {
    for (const Extent& extent : request->extents) check(extent.offset <= INT64_MAX - extent.length);
    check(request->name.size() <= kLongestPath && request->name.find('\0') == request->name.npos);
    check(total(request->extents) <= kLongestData);
    encode_request(*header, *request, &again);
    check(std::equal(body.begin(), body.end(), again.begin() + kHeaderBytes, again.end()));
  }
  if (const auto reply = decode_reply(*header, body); reply.ok()) {
    check(reply->placement.valid());
    Header other = *header;
    encode_reply(other, *reply, &again);
    const auto second = decode_reply(*header, base::Bytes(again).subspan(kHeaderBytes));
    check(again.size() == bytes.size() && second.ok());
  }
}

void feed(const uint8_t* data, size_t size, bool quick) {
  Buffers buffers(1 << 20, [] {});
  {
    Inbox inbox(buffers, [](Call call, uint8_t* frame) {
      (void)decode_request(call.header, {frame + kHeaderBytes, call.header.body});
      return true;
    });
    inbox.bounds = {kLongestBody, 1 << 18, quick};
    std::vector<uint8_t> copy(data, data + size);
    for (size_t at = 0, step = 1; at < size; at += step, step = step * 3 % 251 + 1) {
      const size_t part = std::min(step, size - at);
      if (inbox.take(copy.data() + at, part) != Inbox::State::kReady) break;
    }
    check(buffers.most_used() <= buffers.memory());
  }
  check(buffers.used() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  decode({data, size});
  feed(data, size, false);
  feed(data, size, true);
  const HandleMaker handles(base::SipKey{});
  (void)handles.open({data, size});
  return 0;
}
