#include "capture/harvest/lustre_layout.h"

#include <gtest/gtest.h>

#include <map>

#include "capture/harvest/lustre_layout_builder.h"

namespace headrace::capture {
namespace {

using base::Code;
using Facts = std::map<std::string, std::string>;

Facts facts_of(const Layout& bytes) {
  const auto properties = lustre_properties(bytes);
  EXPECT_TRUE(properties.ok()) << properties.message();
  Facts facts;
  if (!properties.ok()) return facts;
  for (const model::Property& each : *properties) EXPECT_TRUE(facts.emplace(each.key, each.value).second) << each.key;
  return facts;
}

/// Every field as a machine of the other byte order has it.
Layout swapped(Layout bytes, const std::vector<size_t>& widths) {
  size_t at = 0;
  for (const size_t width : widths) {
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + width));
    at += width;
  }
  EXPECT_EQ(at, bytes.size());
  return bytes;
}

TEST(LustreLayout, PlainBytesOfADump) {
  // getfattr -n lustre.lov: stripes of 1 MiB on the object servers 5 and 0x0c.
  const Layout bytes = {
      0xd0, 0x0b, 0xd1, 0x0b, 0x01, 0, 0, 0, 0x89, 0x13, 0, 0, 0, 0, 0, 0, 0x01, 0x04, 0, 0, 2,    0, 0, 0,  // head
      0x00, 0x00, 0x10, 0x00, 0x02, 0, 0, 0,                                                                 // stripes
      0x63, 0x0a, 0,    0,    0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0,    0,    0, 0, 0x05, 0, 0, 0,  // 5
      0x64, 0x0a, 0,    0,    0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0,    0,    0, 0, 0x0c, 0, 0, 0,  // 12
  };
  EXPECT_EQ(facts_of(bytes),
            (Facts{{"lustre.stripe_size", "1048576"}, {"lustre.stripe_count", "2"}, {"lustre.osts", "5,12"}}));
  EXPECT_EQ(plain_layout({1 << 20, 2, {5, 12}, "", 1}).size(), bytes.size());
}

TEST(LustreLayout, APoolMayFillItsPlace) {
  EXPECT_EQ(facts_of(plain_layout({4 << 20, 1, {7}, "flash", 1}))["lustre.pool"], "flash");
  EXPECT_EQ(facts_of(plain_layout({4 << 20, 1, {7}, "exactly16letters", 1}))["lustre.pool"], "exactly16letters");
  Layout chosen = plain_layout({4 << 20, 1, {7}, "flash", 1});
  chosen[2] = 0xd5;  // LOV_USER_MAGIC_SPECIFIC
  EXPECT_EQ(facts_of(chosen)["lustre.osts"], "7");
}

TEST(LustreLayout, TheOtherByteOrder) {
  const Layout bytes = swapped(plain_layout({65536, 1, {300}, "", 1}), {4, 4, 8, 8, 4, 2, 2, 8, 8, 4, 4});
  EXPECT_EQ(facts_of(bytes),
            (Facts{{"lustre.stripe_size", "65536"}, {"lustre.stripe_count", "1"}, {"lustre.osts", "300"}}));
}

TEST(LustreLayout, AFileThatGrowsIntoMoreStripes) {
  const Layout bytes = composite_layout({{1, 0x10, 0, 1 << 20, plain_layout({1 << 20, 0, {}, "", 0x100})},
                                         {2, 0x10, 1 << 20, 1 << 30, plain_layout({1 << 20, 2, {3, 1}, "", 1})},
                                         {3, 0, 1 << 30, UINT64_MAX, plain_layout({4 << 20, 65535, {}, "disk", 1})}});
  const Facts facts = facts_of(bytes);
  const Facts wanted = {{"lustre.component1.stripe_size", "1048576"},
                        {"lustre.component1.stripe_count", "0"},
                        {"lustre.component1.pattern", "mdt"},
                        {"lustre.component1.extent_start", "0"},
                        {"lustre.component1.extent_end", "1048576"},
                        {"lustre.component2.stripe_size", "1048576"},
                        {"lustre.component2.stripe_count", "2"},
                        {"lustre.component2.extent_start", "1048576"},
                        {"lustre.component2.extent_end", "1073741824"},
                        {"lustre.component2.osts", "3,1"},
                        {"lustre.component3.stripe_size", "4194304"},
                        {"lustre.component3.stripe_count", "-1"},
                        {"lustre.component3.pool", "disk"},
                        {"lustre.component3.pattern", "unused"},
                        {"lustre.component3.extent_start", "1073741824"},
                        {"lustre.component3.extent_end", "eof"},
                        {"lustre.osts", "3,1"}};
  EXPECT_EQ(facts, wanted);
}

TEST(LustreLayout, MirrorsNameTheirServersOnce) {
  const Layout bytes = composite_layout({{0x10001, 0x10, 0, UINT64_MAX, plain_layout({1 << 20, 1, {3}, "", 1})},
                                         {0x20002, 0x11, 0, UINT64_MAX, plain_layout({1 << 20, 2, {4, 3}, "", 1})}});
  const Facts facts = facts_of(bytes);
  EXPECT_EQ(facts.at("lustre.component1.mirror"), "1");
  EXPECT_EQ(facts.at("lustre.component2.mirror"), "2");
  EXPECT_EQ(facts.at("lustre.component2.pattern"), "stale");
  EXPECT_EQ(facts.at("lustre.osts"), "3,4");
}

TEST(LustreLayout, WhatIsNotStriping) {
  const Facts released = facts_of(plain_layout({1 << 20, 4, {}, "", 0x80000001}));
  EXPECT_EQ(released.at("lustre.pattern"), "released");
  EXPECT_EQ(released.at("lustre.stripe_count"), "4");
  EXPECT_EQ(released.count("lustre.osts"), 0u);

  Layout foreign = {0xd0, 0x0b, 0xd7, 0x0b, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};
  EXPECT_EQ(facts_of(foreign), (Facts{{"lustre.pattern", "foreign"}}));

  EXPECT_EQ(facts_of(plain_layout({1 << 20, 2, {1, 1}, "", 0x201})), (Facts{{"lustre.stripe_size", "1048576"},
                                                                            {"lustre.stripe_count", "2"},
                                                                            {"lustre.pattern", "overstriped"},
                                                                            {"lustre.osts", "1"}}));

  const Layout growing = composite_layout({{1, 0x10, 0, 64 << 20, plain_layout({1 << 20, 1, {2}, "", 1})},
                                           {2, 0x40, 64 << 20, UINT64_MAX, plain_layout({65536, 1, {}, "", 1})}},
                                          0x0BD80BD0);
  EXPECT_EQ(facts_of(growing).at("lustre.component2.pattern"), "extension");
  EXPECT_EQ(facts_of(growing).at("lustre.component2.stripe_size"), "67108864") << "in KiB there";
}

TEST(LustreLayout, NoPrefixOfALayoutIsOne) {
  const Layout whole =
      composite_layout({{1, 0x10, 0, 1 << 20, plain_layout({1 << 20, 1, {3}, "", 1})},
                        {2, 0x10, 1 << 20, UINT64_MAX, plain_layout({1 << 20, 2, {4, 5}, "flash", 1})}});
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto cut = lustre_properties(base::Bytes(whole.data(), length));
    ASSERT_FALSE(cut.ok()) << length;
  }
  const Layout plain = plain_layout({1 << 20, 2, {4, 5}, "flash", 1});
  for (size_t length = 0; length < plain.size(); ++length) {
    EXPECT_EQ(lustre_properties(base::Bytes(plain.data(), length)).code(), Code::kTruncated) << length;
  }
}

TEST(LustreLayout, PartsThatLieAreRefused) {
  const Part part = {1, 0x10, 0, UINT64_MAX, plain_layout({1 << 20, 1, {3}, "", 1})};
  const auto set = [](Layout bytes, size_t at, uint32_t value) {
    base::ByteWriter(bytes).set_u32(at, value);
    return bytes;
  };
  const Layout good = composite_layout({part, part});
  EXPECT_EQ(lustre_properties(set(good, 32 + 24, 1000)).code(), Code::kCorrupt) << "offset";
  EXPECT_EQ(lustre_properties(set(good, 32 + 24, 0xffffffff)).code(), Code::kCorrupt);
  EXPECT_EQ(lustre_properties(set(good, 32 + 28, 0xffffffff)).code(), Code::kCorrupt) << "length";
  EXPECT_EQ(lustre_properties(set(good, 4, 4000)).code(), Code::kTruncated) << "more than was given";
  EXPECT_EQ(lustre_properties(set(good, 14, 0xffff)).code(), Code::kTruncated) << "more parts than fit";
  EXPECT_EQ(lustre_properties(set(good, 0, 0x12345678)).code(), Code::kUnsupported);
  // Two parts with the bytes of one: the file would have more to say than was given.
  Layout shared = set(good, 32 + 48 + 24, 32 + 96);
  EXPECT_TRUE(lustre_properties(shared).ok());
  shared = set(shared, 32 + 28, 112);
  EXPECT_EQ(lustre_properties(shared).code(), Code::kCorrupt);
  Part inside_out = part;
  inside_out.start = 10;
  inside_out.end = 5;
  EXPECT_EQ(lustre_properties(composite_layout({inside_out})).code(), Code::kCorrupt);
}

}  // namespace
}  // namespace headrace::capture
