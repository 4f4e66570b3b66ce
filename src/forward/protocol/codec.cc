#include "forward/protocol/codec.h"

#include <errno.h>

#include <string.h>

#include "forward/protocol/fields.h"

namespace headrace::forward {
namespace {

using base::Bytes;

constexpr uint64_t kLargestOffset = INT64_MAX;
constexpr uint32_t kMostEntries = 65536;
constexpr uint32_t kMostRoots = 1024;

class Encoder {
 public:
  explicit Encoder(std::vector<uint8_t>* bytes) : out_(*bytes) {}
  template <typename... T>
  void operator()(const T&... fields) {
    (put(fields), ...);
  }

 private:
  void put(bool value) { out_.u8(value); }
  void put(uint8_t value) { out_.u8(value); }
  void put(uint16_t value) { out_.u16(value); }
  void put(uint32_t value) { out_.u32(value); }
  void put(uint64_t value) { out_.u64(value); }
  void put(int64_t value) { out_.u64(static_cast<uint64_t>(value)); }
  void put(const Nonce& nonce) { out_.append(nonce); }
  void put(Bytes bytes) {
    out_.u32(static_cast<uint32_t>(bytes.size()));
    out_.append(bytes);
  }
  void put(std::string_view text) { put(base::as_bytes(text)); }
  void put(const Extent& e) { (*this)(e.offset, e.length); }
  void put(const BadRange& b) { (*this)(b.error, b.where); }
  void put(const Space& s) { (*this)(s.bytes, s.free, s.available, s.files, s.free_files); }
  void put(const Hints& h) { (*this)(h.stripe_count, h.stripe_bytes); }
  void put(const Placement& p) { (*this)(static_cast<uint8_t>(p.place), p.holds, p.stripe, p.node); }
  void put(const Entry& e) { (*this)(e.inode, e.cookie, e.type, e.name); }
  void put(const Root& r) { (*this)(r.path, r.handle); }
  void put(const Attributes& a) {
    (*this)(a.mode, a.links, a.user, a.group, a.block_size, a.inode, a.size, a.blocks);
    (*this)(a.accessed, a.modified, a.changed, a.born);
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    out_.u32(static_cast<uint32_t>(list.size()));
    for (const T& each : list) put(each);
  }
  base::ByteWriter out_;
};

class Decoder {
 public:
  explicit Decoder(Bytes bytes) : in_(bytes) {}
  template <typename... T>
  void operator()(T&... fields) {
    (get(fields), ...);
  }
  bool good() const { return good_ && in_.ok() && in_.left() == 0; }

 private:
  void get(bool& value) { value = in_.u8() != 0; }
  void get(uint8_t& value) { value = in_.u8(); }
  void get(uint16_t& value) { value = in_.u16(); }
  void get(uint32_t& value) { value = in_.u32(); }
  void get(uint64_t& value) { value = in_.u64(); }
  void get(int64_t& value) { value = static_cast<int64_t>(in_.u64()); }
  void get(Nonce& nonce) {
    const Bytes bytes = in_.take(nonce.size());
    if (!bytes.empty()) memcpy(nonce.data(), bytes.data(), nonce.size());
  }
  void get(Bytes& bytes) {
    bytes = in_.take(in_.u32());
    if (bytes.size() > kLongestHandle) good_ = false;
  }
  void get(std::string_view& text) {
    text = base::as_text(in_.take(in_.u32()));
    if (text.find('\0') != text.npos) good_ = false;
  }
  void get(Extent& e) {
    (*this)(e.offset, e.length);
    if (e.length > kLargestOffset || e.offset > kLargestOffset - e.length) good_ = false;
  }
  void get(BadRange& b) { (*this)(b.error, b.where); }
  void get(Space& s) { (*this)(s.bytes, s.free, s.available, s.files, s.free_files); }
  void get(Hints& h) { (*this)(h.stripe_count, h.stripe_bytes); }
  void get(Placement& p) {
    uint8_t place = 0;
    (*this)(place, p.holds, p.stripe, p.node);
    p.place = static_cast<Placing>(place);
    if (!p.valid()) good_ = false;
  }
  void get(Entry& e) { (*this)(e.inode, e.cookie, e.type, e.name); }
  void get(Root& r) { (*this)(r.path, r.handle); }
  void get(Attributes& a) {
    (*this)(a.mode, a.links, a.user, a.group, a.block_size, a.inode, a.size, a.blocks);
    (*this)(a.accessed, a.modified, a.changed, a.born);
  }
  static constexpr size_t least(const Extent&) { return 16; }
  static constexpr size_t least(const BadRange&) { return 20; }
  static constexpr size_t least(const Entry&) { return 21; }
  static constexpr size_t least(const Root&) { return 8; }
  static constexpr size_t least(uint64_t) { return 8; }
  static constexpr uint32_t most(const Entry&) { return kMostEntries; }
  static constexpr uint32_t most(const Root&) { return kMostRoots; }
  template <typename T>
  static constexpr uint32_t most(const T&) {
    return kMostExtents;
  }
  template <typename T>
  void get(std::vector<T>& list) {
    const uint32_t count = in_.u32();
    // What cannot be there is not made room for.
    if (count > most(T{}) || count > in_.left() / least(T{})) {
      good_ = false;
      in_.take(in_.left() + 1);
      return;
    }
    list.resize(count);
    for (T& each : list) get(each);
  }
  base::ByteReader in_;
  bool good_ = true;
};

void put_header(const Header& header, std::vector<uint8_t>* frame) {
  base::ByteWriter out(*frame);
  out.u32(kMagic);
  out.u8(header.op);
  out.u8(header.flags);
  out.u16(0);
  out.u32(header.body);
  out.u32(header.limit);
  out.u32(header.data);
  out.u32(header.window);
  out.u64(header.id);
  out.u64(header.passed);
  out.u64(header.seal);
}

constexpr size_t kBodyAt = 8;  // of its length, in a header

void finish(std::vector<uint8_t>* frame) {
  base::ByteWriter(*frame).set_u32(kBodyAt, static_cast<uint32_t>(frame->size() - kHeaderBytes));
}

/// Rules between fields.
bool sensible(const Header& header, const Request& request) {
  if (request.name.size() > kLongestPath || request.other_name.size() > kLongestPath) return false;
  if (request.extents.size() > kMostExtents) return false;
  uint64_t sum = 0;
  for (const Extent& extent : request.extents) {
    sum += extent.length;
    if (sum > kLongestData) return false;
  }
  switch (request.op) {
    case Op::kAppend:
      if (request.flags & kReserve)
        return header.data == 0 && request.size <= kLargestOffset && request.least <= kLargestOffset;
      return request.size == header.data && request.least <= kLargestOffset;
    case Op::kWrite:
    case Op::kRead:  // what it asks for in all, so that a server can find room before it looks at the body
      return sum == header.data;
    case Op::kResize:
    case Op::kHeld:
      return header.data == 0 && request.size <= kLargestOffset;
    default:
      return header.data == 0 && header.flags == 0;
  }
}

}  // namespace

int refusal(const Request& request) {
  if (request.name.size() > kLongestPath || request.other_name.size() > kLongestPath) return ENAMETOOLONG;
  if (request.handle.size() > kLongestHandle || request.other_handle.size() > kLongestHandle) return ENAMETOOLONG;
  if (request.name.find('\0') != request.name.npos || request.other_name.find('\0') != request.other_name.npos)
    return EINVAL;
  uint64_t sum = 0;
  for (const Extent& extent : request.extents) {
    if (extent.length > kLargestOffset || extent.offset > kLargestOffset - extent.length) return EINVAL;
    sum += extent.length;
    if (sum > kLongestData) return EINVAL;
  }
  const bool far = request.size > kLargestOffset || request.least > kLargestOffset;
  return request.extents.size() > kMostExtents || far ? EINVAL : 0;
}

void encode_request(Header header, const Request& request, std::vector<uint8_t>* frame) {
  frame->clear();
  header.op = static_cast<uint8_t>(request.op);
  put_header(header, frame);
  Encoder encoder(frame);
  walk_request(encoder, request);
  finish(frame);
}

void encode_reply(Header header, const Reply& reply, std::vector<uint8_t>* frame) {
  frame->clear();
  header.op = static_cast<uint8_t>(reply.op) | kReplyBit;
  put_header(header, frame);
  Encoder encoder(frame);
  if (header.limit != 0)
    encoder(reply.bad);
  else
    walk_reply(encoder, reply);
  finish(frame);
}

Outcome<Header> decode_header(Bytes bytes) {
  base::ByteReader in(bytes);
  Header header;
  const bool magic = in.u32() == kMagic;
  header.op = in.u8();
  header.flags = in.u8();
  const bool unused = in.u16() == 0;
  header.body = in.u32();
  header.limit = in.u32();
  header.data = in.u32();
  header.window = in.u32();
  header.id = in.u64();
  header.passed = in.u64();
  header.seal = in.u64();
  const uint8_t flags = header.op & kReplyBit ? kInWindow | kHeld : kInWindow;
  const bool known = is_op(header.op & ~kReplyBit) && (header.flags & ~flags) == 0;
  const bool within = header.body <= kLongestBody && header.data <= kLongestData;
  if (!in.ok() || !magic || !unused || !known || !within) return Failed{EPROTO};
  return header;
}

Outcome<Request> decode_request(const Header& header, Bytes body) {
  if (header.op & kReplyBit || body.size() != header.body) return Failed{EPROTO};
  Request request;
  request.op = static_cast<Op>(header.op);
  Decoder decoder(body);
  walk_request(decoder, request);
  if (!decoder.good() || !sensible(header, request)) return Failed{EPROTO};
  return request;
}

Outcome<Reply> decode_reply(const Header& header, Bytes body) {
  if (!(header.op & kReplyBit) || body.size() != header.body) return Failed{EPROTO};
  Reply reply;
  reply.op = static_cast<Op>(header.op & ~kReplyBit);
  Decoder decoder(body);
  if (header.limit != 0)
    decoder(reply.bad);
  else
    walk_reply(decoder, reply);
  if (!decoder.good() || (header.data != 0 && reply.op != Op::kRead)) return Failed{EPROTO};
  return reply;
}

uint64_t total(const std::vector<Extent>& extents) {
  uint64_t sum = 0;
  for (const Extent& extent : extents) sum += extent.length;
  return sum;
}

}  // namespace headrace::forward
