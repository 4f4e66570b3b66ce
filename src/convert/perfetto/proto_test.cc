// The examples of https://protobuf.dev/programming-guides/encoding, byte by byte.

#include "convert/perfetto/proto.h"

#include <gtest/gtest.h>

namespace headrace::convert::perfetto {
namespace {

using std::string_literals::operator""s;

TEST(ProtoMessageTest, IsAsPublished) {
  Message number;
  number.number(1, 150);
  EXPECT_EQ(number.bytes(), "\x08\x96\x01"s);
  Message text;
  text.text(2, "testing");
  EXPECT_EQ(text.bytes(), "\x12\x07testing"s);
  Message outer;
  outer.message(3, number);
  EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01"s);
}

TEST(ProtoMessageTest, HoldsTheLargest) {
  Message message;
  message.number(60, ~uint64_t{0});
  EXPECT_EQ(message.bytes(), "\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
  message.clear();
  message.fixed(47, 0x0102030405060708);
  EXPECT_EQ(message.bytes(), "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"s);
  message.clear();
  message.real(44, 1.0);
  EXPECT_EQ(message.bytes(), "\xe1\x02\x00\x00\x00\x00\x00\x00\xf0\x3f"s);
}

}  // namespace
}  // namespace headrace::convert::perfetto
