// Payloads that no writer makes, and tables whose chunks differ.

#include "format/decode.h"
#include "format/joined_bytes.h"

#include <gtest/gtest.h>

#include "format/encode.h"

namespace headrace::format {
namespace {

using base::ByteWriter;
using base::Code;

constexpr uint64_t kPlenty = 1 << 20;

std::vector<uint8_t> encode(const TableBuilder& table) { return TableEncoder(table).payload(0, table.rows()); }

/// A payload of one column with these data bytes.
std::vector<uint8_t> one_column(std::string_view name, uint8_t type, uint8_t encoding,
                                const std::vector<uint8_t>& data) {
  std::vector<uint8_t> bytes;
  ByteWriter out(bytes);
  out.u16(1);
  out.u8(static_cast<uint8_t>(name.size()));
  out.append(base::as_bytes(name));
  out.u8(type);
  out.u8(encoding);
  out.u32(static_cast<uint32_t>(data.size()));
  out.append(data);
  return bytes;
}

std::vector<uint8_t> block(uint8_t width, uint64_t base, std::vector<uint8_t> values = {}) {
  std::vector<uint8_t> bytes;
  ByteWriter out(bytes);
  out.u8(width);
  out.u64(base);
  out.append(values);
  return bytes;
}

const std::vector<uint64_t> kOnes{1, 1};
const std::vector<uint64_t> kMixed{5, 6};
const std::vector<std::string_view> kTexts{"x", "yy"};

TEST(Decode, FillsAColumnThatAChunkLacks) {
  TableAssembler assembler("t", 6, kPlenty);
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kMixed).text("s", kTexts)), 2).ok());
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("b", kMixed)), 2).ok());
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").text("s", kTexts).u64("a", kOnes).u64("z", kOnes)), 2).ok());
  const Table table = assembler.finish();
  EXPECT_EQ(table.rows, 6u);
  const uint64_t a[] = {5, 6, 0, 0, 1, 1};
  const uint64_t b[] = {0, 0, 5, 6, 0, 0};
  const uint64_t z[] = {0, 0, 0, 0, 1, 1};
  const std::string_view s[] = {"x", "yy", "", "", "x", "yy"};
  for (uint64_t row = 0; row < 6; ++row) {
    EXPECT_EQ(table.find("a")->u64(row), a[row]);
    EXPECT_EQ(table.find("b")->u64(row), b[row]);
    EXPECT_EQ(table.find("z")->u64(row), z[row]);
    EXPECT_EQ(table.find("s")->text(row), s[row]);
  }
}

TEST(Decode, JoinsPlanes) {
  TableAssembler assembler("t", 4, kPlenty);
  ASSERT_TRUE(assembler.add(one_column("a", 1, 5, block(3, 5, {0, 1, 0, 2, 1, 3})), 2).ok());
  ASSERT_TRUE(assembler.add(one_column("a", 1, 5, block(0, 7)), 2).ok());
  const Table table = assembler.finish();
  EXPECT_EQ(table.find("a")->u64(0), 5u + 0x010000);
  EXPECT_EQ(table.find("a")->u64(1), 5u + 0x030201);
  EXPECT_EQ(table.find("a")->u64(3), 7u);
}

TEST(Decode, StaysConstantWhileChunksAgree) {
  const std::vector<std::string_view> same{"file", "file"};
  TableAssembler assembler("t", 100, kPlenty);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kOnes).text("s", same)), 2).ok());
  }
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kOnes).text("s", kTexts)), 2).ok());
  const Table table = assembler.finish();
  EXPECT_TRUE(table.find("a")->constant);
  EXPECT_FALSE(table.find("s")->constant);
  EXPECT_EQ(table.find("s")->text(5), "file");
  EXPECT_EQ(table.find("s")->text(7), "yy");
}

TEST(Decode, LeavesOutColumnsOfAnUnknownTypeOrEncoding) {
  TableAssembler assembler("t", 6, kPlenty);
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kMixed).u64("b", kMixed)), 2).ok());
  ASSERT_TRUE(assembler.add(one_column("a", 1, 99, {1, 2, 3}), 2).ok());
  ASSERT_TRUE(assembler.add(one_column("list", 77, 1, {}), 2).ok());
  const Table table = assembler.finish();
  EXPECT_EQ(table.rows, 6u);
  EXPECT_EQ(table.find("a"), nullptr);  // known in one chunk, not in another: half of it would be a wrong figure
  EXPECT_EQ(table.find("b")->u64(1), 6u);
  EXPECT_EQ(table.unknown_columns, (std::vector<std::string>{"a", "list"}));
}

TEST(Decode, RefusesContradictionsAndKeepsWhatWasGood) {
  const std::vector<std::vector<uint8_t>> bad = {
      {},
      {1},
      {1, 0, 200},
      {0xff, 0xff},
      encode(TableBuilder("t").u64("a", kMixed)) + std::vector<uint8_t>{0},  // goes on behind the last column
      one_column("", 1, 1, block(0, 5)),
      one_column("new\nline", 1, 1, block(0, 5)),
      one_column("a", 1, 1, {}),
      one_column("a", 1, 1, block(1, 5)),                                           // rows missing
      one_column("a", 1, 1, block(1, 5, {1})),                                      // one missing
      one_column("a", 1, 1, block(1, 5, {1, 2, 3})),                                // one too many
      one_column("a", 1, 1, block(3, 5, {1, 2, 3, 4, 5, 6})),                       // no such width
      one_column("a", 1, 5, block(3, 5, {1, 2, 3, 4, 5})),                          // planes: one missing
      one_column("a", 1, 5, block(3, 5, {1, 2, 3, 4, 5, 6, 7})),                    // one too many
      one_column("a", 1, 5, block(9, 5, std::vector<uint8_t>(18))),                 // no such width
      one_column("a", 3, 1, block(0, 5)),                                           // float where it was an integer
      one_column("f", 3, 2, {1, 2, 3}),                                             // split floats cut
      one_column("s", 4, 3, block(1, 0, {2, 2}) + std::vector<uint8_t>{'x'}),       // text too short
      one_column("s", 4, 3, block(1, 0, {1, 0}) + std::vector<uint8_t>{'x', 'y'}),  // text too long
      one_column("s", 4, 3, block(0, ~uint64_t{0}) + std::vector<uint8_t>{'x'}),    // lengths that overflow
      one_column("s", 4, 4, {0, 0, 0, 0}),                                          // empty dictionary
      one_column("s", 4, 4, {255, 255, 255, 255}),                                  // endless dictionary
      one_column("s", 4, 4, std::vector<uint8_t>{1, 0, 0, 0} + block(0, 1) + std::vector<uint8_t>{'x'} + block(0, 1)),
      one_column("s", 4, 4,
                 std::vector<uint8_t>{1, 0, 0, 0} + block(0, 1) + std::vector<uint8_t>{'x'} + block(1, 0, {0, 1})),
      one_column("s", 4, 4, std::vector<uint8_t>{1, 0, 0, 0} + block(0, 9) + std::vector<uint8_t>{'x'} + block(0, 0)),
      encode(TableBuilder("t").u64("new", kMixed).text("s", kTexts)) + std::vector<uint8_t>{1},
  };
  TableAssembler assembler("t", 4, kPlenty);
  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kMixed).text("s", kTexts)), 2).ok());
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(assembler.add(bad[i], 2).code(), Code::kCorrupt) << "payload " << i;
  }
  // A column that is there twice, and a good column before a bad one: both must leave no trace.
  std::vector<uint8_t> twice = encode(TableBuilder("t").u64("n", kMixed).u64("m", kMixed));
  twice[2 + 1 + 1 + 2 + 4 + 9 + 2 + 1] = 'n';
  EXPECT_EQ(assembler.add(twice, 2).code(), Code::kCorrupt);
  std::vector<uint8_t> late = encode(TableBuilder("t").text("s", kTexts).text("a", kTexts));
  EXPECT_EQ(assembler.add(late, 2).code(), Code::kCorrupt);

  ASSERT_TRUE(assembler.add(encode(TableBuilder("t").u64("a", kOnes).text("s", kTexts)), 2).ok());
  const Table table = assembler.finish();
  EXPECT_EQ(table.rows, 4u);
  EXPECT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.find("a")->u64(1), 6u);
  EXPECT_EQ(table.find("a")->u64(2), 1u);
  EXPECT_EQ(table.find("s")->text(2), "x");
  EXPECT_EQ(table.find("s")->bytes, "xyyxyy");
}

TEST(Decode, DoesNotExpandBombs) {
  // 1,000 rows of a 100,000-byte text from a dictionary, beside another so that it is not constant.
  std::vector<uint8_t> indices(1000);
  indices[0] = 1;
  std::vector<uint8_t> data{2, 0, 0, 0};
  data = data + block(4, 0, {0xa0, 0x86, 1, 0, 1, 0, 0, 0}) + std::vector<uint8_t>(100'001, 'x') + block(1, 0, indices);
  TableAssembler assembler("t", 1000, kPlenty);
  EXPECT_EQ(assembler.add(one_column("s", 4, 4, data), 1000).code(), Code::kLimit);

  TableAssembler constant("t", 2000, kPlenty);  // constant text is free until something else follows it
  data = std::vector<uint8_t>{1, 0, 0, 0} + block(0, 100'000) + std::vector<uint8_t>(100'000, 'x') + block(0, 0);
  ASSERT_TRUE(constant.add(one_column("s", 4, 4, data), 1000).ok());
  EXPECT_EQ(constant.add(encode(TableBuilder("t").text("s", kTexts)), 2).code(), Code::kLimit);

  TableAssembler wide("t", uint64_t{1} << 60, kPlenty);  // rows that headers merely claim
  EXPECT_EQ(wide.add(encode(TableBuilder("t").u64("a", kMixed)), 2).code(), Code::kLimit);
}

}  // namespace
}  // namespace headrace::format
