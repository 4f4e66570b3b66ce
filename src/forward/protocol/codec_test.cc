#include "forward/protocol/codec.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <string>

#include "forward/protocol/fields.h"

namespace headrace::forward {
namespace {

using base::Bytes;

/// Messages of every kind with fields of every size, the same in every run.
class Made {
 public:
  explicit Made(uint32_t seed) : random_(seed) {}

  uint64_t number(uint64_t below) { return random_() % below; }
  std::string_view text(size_t most) {
    std::string made;
    for (uint64_t i = number(most + 1); i > 0; --i) made += static_cast<char>(1 + number(255));
    return *texts_.insert(texts_.end(), made);
  }
  Extent extent() { return {number(uint64_t{1} << 62), number(1000)}; }
  Attributes attributes() {
    Attributes a;
    a.mode = static_cast<uint32_t>(random_());
    a.size = random_();
    a.modified = static_cast<int64_t>(random_());
    a.born = -5;
    a.inode = random_();
    return a;
  }
  Request request(Op op) {
    Request r;
    r.op = op;
    r.handle = base::as_bytes(text(200));
    r.other_handle = base::as_bytes(text(200));
    r.name = text(300);
    r.other_name = text(300);
    r.flags = static_cast<uint32_t>(number(64));
    r.mode = static_cast<uint32_t>(number(07777));
    r.count = static_cast<uint32_t>(random_());
    r.cookie = random_();
    r.size = number(INT64_MAX);
    r.least = number(INT64_MAX);
    r.attributes = attributes();
    r.hints = {static_cast<uint32_t>(number(100)), random_()};
    r.range = extent();
    for (uint64_t i = number(50); i > 0; --i) r.extents.push_back(extent());
    r.oldest = 1, r.newest = static_cast<uint16_t>(number(9));
    for (auto* nonce : {&r.client, &r.nonce, &r.proof, &r.owner, &r.opener})
      for (uint8_t& byte : *nonce) byte = static_cast<uint8_t>(random_());
    return r;
  }
  Reply reply(Op op) {
    Reply r;
    r.op = op;
    r.handle = base::as_bytes(text(100));
    r.text = text(1000);
    r.attributes = attributes();
    r.space = {random_(), random_(), random_(), random_(), random_()};
    r.size = random_();
    r.taken = random_();
    r.placement = {static_cast<Placing>(number(3)), number(2) == 1, kStripeUnit * (1 + number(100)), random_()};
    r.at_end = number(2);
    r.granted = number(2);
    for (uint64_t i = number(9); i > 0; --i) {
      r.counts.push_back(random_());
      r.bad.push_back({static_cast<uint32_t>(random_()), extent()});
      r.entries.push_back({random_(), random_(), static_cast<uint8_t>(number(15)), text(50)});
      r.roots.push_back({text(50), base::as_bytes(text(50))});
    }
    r.most_data = static_cast<uint32_t>(random_());
    r.instance = random_();
    return r;
  }
  Header header(const Request& r) {
    Header h;
    h.id = random_();
    h.passed = random_();
    if (r.op == Op::kRead || r.op == Op::kWrite) h.data = static_cast<uint32_t>(total(r.extents));
    if (r.op == Op::kAppend) h.data = static_cast<uint32_t>(r.size);
    return h;
  }

 private:
  std::mt19937_64 random_;
  std::list<std::string> texts_;
};

std::vector<Op> all_operations() {
  std::vector<Op> all;
  for (int i = 0; i < 128; ++i) {
    if (is_op(static_cast<uint8_t>(i))) all.push_back(static_cast<Op>(i));
  }
  return all;
}

TEST(Codec, GivesBackWhatWasEncoded) {
  for (const Op op : all_operations()) {
    for (uint32_t seed = 0; seed < 50; ++seed) {
      Made made(seed);
      Request request = made.request(op);
      if (op == Op::kAppend) request.size %= kLongestData;
      std::vector<uint8_t> frame, again;
      encode_request(made.header(request), request, &frame);
      const auto header = decode_header(Bytes(frame).first(kHeaderBytes));
      ASSERT_TRUE(header.ok());
      const auto decoded = decode_request(*header, Bytes(frame).subspan(kHeaderBytes));
      ASSERT_TRUE(decoded.ok()) << op_name(op);
      encode_request(*header, *decoded, &again);
      EXPECT_EQ(frame, again) << op_name(op);

      const Reply reply = made.reply(op);
      Header reply_header;
      reply_header.limit = seed % 2 == 0 ? 0 : ENOSPC;
      encode_reply(reply_header, reply, &frame);
      const auto back = decode_header(Bytes(frame).first(kHeaderBytes));
      ASSERT_TRUE(back.ok());
      const auto answer = decode_reply(*back, Bytes(frame).subspan(kHeaderBytes));
      ASSERT_TRUE(answer.ok()) << op_name(op);
      encode_reply(*back, *answer, &again);
      EXPECT_EQ(frame, again) << op_name(op);
      if (reply_header.limit != 0) {
        EXPECT_EQ(answer->bad, reply.bad);
      }
    }
  }
}

TEST(Codec, RefusesEveryMessageThatIsCutOrLonger) {
  for (const Op op : all_operations()) {
    Made made(7);
    Request request = made.request(op);
    if (op == Op::kAppend) request.size %= kLongestData;
    std::vector<uint8_t> frame;
    encode_request(made.header(request), request, &frame);
    Header header = *decode_header(Bytes(frame).first(kHeaderBytes));
    const Bytes body = Bytes(frame).subspan(kHeaderBytes);
    for (size_t size = 0; size < body.size(); ++size) {
      header.body = static_cast<uint32_t>(size);
      EXPECT_FALSE(decode_request(header, body.first(size)).ok()) << op_name(op) << size;
    }
    frame.push_back(0);
    header.body = static_cast<uint32_t>(frame.size() - kHeaderBytes);
    EXPECT_FALSE(decode_request(header, Bytes(frame).subspan(kHeaderBytes)).ok());
  }
}

TEST(Codec, EndsWithAnyBytes) {
  std::mt19937_64 random(3);
  for (const Op op : all_operations()) {
    for (uint32_t seed = 0; seed < 200; ++seed) {
      Made made(seed);
      const Request request = made.request(op);
      std::vector<uint8_t> frame;
      encode_request(made.header(request), request, &frame);
      for (int i = 0; i < 4; ++i) frame[random() % frame.size()] = static_cast<uint8_t>(random());
      const auto header = decode_header(Bytes(frame).first(kHeaderBytes));
      if (!header.ok()) continue;
      const auto decoded = decode_request(*header, Bytes(frame).subspan(kHeaderBytes));
      if (!decoded.ok()) {
        EXPECT_EQ(decoded.error(), EPROTO);
        continue;
      }
      for (const Extent& extent : decoded->extents) EXPECT_LE(extent.offset + extent.length, uint64_t{INT64_MAX});
      EXPECT_EQ(decoded->name.find('\0'), decoded->name.npos);
    }
  }
}

TEST(Codec, RefusesHeadersThatBreakLimits) {
  std::vector<uint8_t> good;
  encode_request({}, Made(1).request(Op::kGetattr), &good);
  const auto refused = [&](size_t at, uint32_t value) {
    std::vector<uint8_t> frame = good;
    base::ByteWriter(frame).set_u32(at, value);
    return !decode_header(Bytes(frame).first(kHeaderBytes)).ok();
  };
  EXPECT_TRUE(refused(0, 0x12345678));        // magic
  EXPECT_TRUE(refused(4, 15));                // no such call
  EXPECT_TRUE(refused(4, 17 | 0xfe00));       // flags that mean nothing
  EXPECT_TRUE(refused(4, 17 | 1 << 16));      // what has to be 0
  EXPECT_TRUE(refused(8, kLongestBody + 1));  // body
  EXPECT_TRUE(refused(16, kLongestData + 1));
  EXPECT_FALSE(refused(12, 1));
  EXPECT_FALSE(decode_header(Bytes(good).first(kHeaderBytes - 1)).ok());
}

TEST(Codec, AnswersSayHowLongTheyTookInStepsOf100Ns) {
  Header reply;
  reply.passed = served_in({12'345, 120'000'000'000});
  EXPECT_EQ(served(reply).waited_ns, 12'300u);
  EXPECT_EQ(served(reply).worked_ns, 120'000'000'000u);
  reply.passed = served_in({UINT64_MAX, 0});  // more than there is room for is the most there is room for
  EXPECT_EQ(served(reply).waited_ns, uint64_t{UINT32_MAX} * 100);
  EXPECT_EQ(served(reply).worked_ns, 0u);
}

TEST(Codec, RefusesDataThatDoesNotFitItsExtents) {
  Request request;
  request.op = Op::kWrite;
  request.extents = {{0, 10}, {100, 20}};
  for (const uint32_t bytes : {29u, 30u, 31u}) {
    std::vector<uint8_t> frame;
    Header header;
    header.data = bytes;
    encode_request(header, request, &frame);
    const auto decoded =
        decode_request(*decode_header(Bytes(frame).first(kHeaderBytes)), Bytes(frame).subspan(kHeaderBytes));
    EXPECT_EQ(decoded.ok(), bytes == 30);
  }
}

}  // namespace
}  // namespace headrace::forward
