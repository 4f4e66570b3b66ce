// Messages as bytes and back. Decoding takes every byte for hostile: a message that decodes has lengths within the
// limits of messages.h, paths without a NUL, ranges below 2^63, and nothing behind its last field.
// No globals: safe in any thread.
#pragma once
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/protocol/outcome.h"

namespace headrace::forward {

/// Header and body, ready to be sealed; the header's `body` is set. `frame` is replaced.
/// Why a server would not take it, before it is sent: an error number, or 0.
int refusal(const Request& request);
void encode_request(Header header, const Request& request, std::vector<uint8_t>* frame);
/// With `header.limit` not 0, an error: only `reply.bad` is said.
void encode_reply(Header header, const Reply& reply, std::vector<uint8_t>* frame);

/// EPROTO: this is no header, or breaks a limit; nothing more can be made of the stream.
Outcome<Header> decode_header(base::Bytes bytes);
/// EPROTO: the body is not what its header says. The stream can go on behind it.
Outcome<Request> decode_request(const Header& header, base::Bytes body);
Outcome<Reply> decode_reply(const Header& header, base::Bytes body);

/// Bytes of all extents; no overflow, since decoded lengths are below 2^63 in all.
uint64_t total(const std::vector<Extent>& extents);

}  // namespace headrace::forward
