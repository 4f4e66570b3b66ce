#include "anonymize/anonymizer.h"

#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"
#include "format/table_builder.h"

namespace headrace::anonymize {
namespace {

using format::Table;
using format::TableBuilder;

Table names_table(const std::vector<std::string>& texts) {
  std::vector<uint64_t> ids;
  for (const std::string& text : texts) ids.push_back(base::hash_text(text));
  return table_of(TableBuilder("names").u64("name", ids).text("text", texts));
}

TEST(Anonymizer, EveryColumnOfALogIsTreated) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const ColumnTreatment& each : column_treatments()) {
    EXPECT_NE(each.treatment, Treatment::kDrop) << each.table << "." << each.column;
    EXPECT_TRUE(seen.insert({each.table, each.column}).second) << each.table << "." << each.column;
  }
  EXPECT_TRUE(seen.contains({"files", "bytes_read"}));
  EXPECT_EQ(treatment_of("files", "made_up"), Treatment::kDrop);
}

// Whoever adds a text column and wants it to stay must change this list on purpose.
TEST(Anonymizer, TextsThatStayAreListed) {
  std::set<std::string> kept;
  for (const ColumnTreatment& each : column_treatments()) {
    const Treatment t = each.treatment;
    if (t == Treatment::kSentence || t == Treatment::kIdentifier || t == Treatment::kMountType ||
        t == Treatment::kMountSource || t == Treatment::kMountOptions || t == Treatment::kPropertyKey ||
        t == Treatment::kPropertyValue || t == Treatment::kRanks) {
      kept.insert(std::string(each.table) + "." + std::string(each.column));
    }
  }
  EXPECT_EQ(kept, (std::set<std::string>{"processes.ended",
                                         "processes.reason",
                                         "files.kind",
                                         "files.layer",
                                         "properties.key",
                                         "properties.value",
                                         "sizes.direction",
                                         "common.direction",
                                         "common.what",
                                         "profiles.function",
                                         "profiles.layer",
                                         "unfinished.function",
                                         "unfinished.layer",
                                         "series.direction",
                                         "segments.layer",
                                         "segments.direction",
                                         "cluster_stats.layer",
                                         "cluster_stats.function",
                                         "mounts.type",
                                         "mounts.source",
                                         "mounts.options",
                                         "sites.what",
                                         "gaps.what",
                                         "gaps.unit",
                                         "phases.ended",
                                         "phase_profiles.function",
                                         "phase_profiles.layer",
                                         "phase_series.direction",
                                         "phase_sizes.layer",
                                         "phase_sizes.direction",
                                         "gaps.reason",
                                         "shared.who",
                                         "shares.layer",
                                         "shares.kind"}));
}

TEST(Anonymizer, NumbersOfRanksStay) {
  Anonymizer anonymizer(base::SipKey{7});
  const std::string_view who[] = {"0-3,8,...", "alice"};
  const uint64_t record[] = {5, 6};
  Table shared = table_of(TableBuilder("shared").u64("record", record).text("who", who));
  ASSERT_TRUE(anonymizer.apply(shared));
  EXPECT_EQ(shared.find("who")->text(0), "0-3,8,...");
  EXPECT_EQ(shared.find("who")->text(1), anonymizer.names().token("alice"));
}

TEST(Anonymizer, IdsOfNamesAreThoseOfTheirTokens) {
  Anonymizer anonymizer(base::SipKey{7});
  Table names = names_table({"/home/alice/x", "node1"});
  ASSERT_TRUE(anonymizer.apply(names));
  EXPECT_EQ(names.find("text")->text(1), anonymizer.names().token("node1"));
  for (uint64_t row = 0; row < 2; ++row) {
    EXPECT_EQ(names.find("name")->u64(row), base::hash_text(names.find("text")->text(row)));
  }
  const uint64_t ids[] = {base::hash_text("node1"), 0, 12345};
  const uint64_t process[] = {5, 5, 6};
  Table processes = table_of(TableBuilder("processes").u64("process", process).u64("host", ids).u64("pid", process));
  ASSERT_TRUE(anonymizer.apply(processes));
  EXPECT_EQ(processes.find("host")->u64(0), names.find("name")->u64(1));
  EXPECT_EQ(processes.find("host")->u64(1), 0u);
  EXPECT_NE(processes.find("host")->u64(2), 12345u);  // a name that is lost
  EXPECT_EQ(processes.find("process")->u64(0), processes.find("process")->u64(1));
  EXPECT_NE(processes.find("process")->u64(0), 5u);
  EXPECT_EQ(processes.find("pid")->u64(2), 6u);
}

TEST(Anonymizer, UnknownTablesAndColumnsAreLeftOut) {
  Anonymizer anonymizer(base::SipKey{7});
  const std::string secret[] = {"alice"};
  Table other = table_of(TableBuilder("diary").text("entry", std::span(secret)));
  EXPECT_FALSE(anonymizer.apply(other));
  Table gaps = table_of(TableBuilder("gaps").text("reason", std::span(secret)).text("diary", std::span(secret)));
  gaps.unknown_columns.push_back("newer");
  ASSERT_TRUE(anonymizer.apply(gaps));
  EXPECT_EQ(gaps.find("diary"), nullptr);
  EXPECT_EQ(gaps.find("reason")->text(0), anonymizer.names().token("alice"));
  EXPECT_EQ(anonymizer.left_out(), (std::set<std::string>{"table 'diary'", "column 'diary' of table 'gaps'",
                                                          "column 'newer' of table 'gaps'"}));
}

TEST(Anonymizer, ColumnsOfTheWrongTypeKeepNothing) {
  Anonymizer anonymizer(base::SipKey{7});
  const std::string secret[] = {"alice"};
  const uint64_t number[] = {0x6563696c61};
  Table files = table_of(
      TableBuilder("files").text("process", std::span(secret)).text("reads", std::span(secret)).u64("kind", number));
  ASSERT_TRUE(anonymizer.apply(files));
  EXPECT_EQ(files.find("process")->text(0), anonymizer.names().token("alice"));
  EXPECT_EQ(files.find("reads")->text(0), anonymizer.names().token("alice"));
  EXPECT_NE(files.find("kind")->u64(0), number[0]);
}

TEST(Anonymizer, Facts) {
  const Names names(base::SipKey{7});
  EXPECT_EQ(anonymous_fact(names, "start_utc_ns", "17").value, "17");
  EXPECT_EQ(anonymous_fact(names, "exit_status", "-1").value, "-1");
  EXPECT_EQ(anonymous_fact(names, "exit_status", "alice").value, names.token("alice"));
  EXPECT_EQ(anonymous_fact(names, "stood_for.1f", "11 580 42160").value, "11 580 42160");
  EXPECT_EQ(anonymous_fact(names, "stood_for.1f", "alice").value, names.token("alice"));
  EXPECT_EQ(anonymous_fact(names, "headrace_version", "0.1.0").value, "0.1.0");
  EXPECT_EQ(anonymous_fact(names, "headrace_version", "alice").value, names.token("alice"));
  EXPECT_EQ(anonymous_fact(names, "host", "node1").value, names.token("node1"));
  EXPECT_EQ(anonymous_fact(names, "complete", "yes").value, "yes");
  EXPECT_EQ(anonymous_fact(names, "capture", "all").value, "all");
  EXPECT_EQ(anonymous_fact(names, "capture", "phases").value, "phases");
  EXPECT_EQ(anonymous_fact(names, "capture", "alice").value, names.token("alice"));
  EXPECT_EQ(anonymous_fact(names, "reduction.1f", "yes").value, "yes");
  EXPECT_EQ(anonymous_fact(names, "darshan_job_id", "4711").value, names.token("4711"));
  EXPECT_EQ(anonymous_fact(names, "emulate", "alice").value, names.token("alice"));
  EXPECT_EQ(anonymous_fact(names, "command", R"(["./a", "-x"])").value,
            "[\"./" + names.token("a") + "\", \"" + names.token("-x") + "\"]");
  EXPECT_EQ(anonymous_fact(names, "command", "alice").value, names.token("alice"));
  EXPECT_FALSE(anonymous_fact(names, "user_id", "1000").kept);
  EXPECT_FALSE(anonymous_fact(names, "anonymize", "00").kept);
}

TEST(Anonymizer, ListsKeepTheirItems) {
  Anonymizer anonymizer(base::SipKey{7});
  const std::string arguments[] = {std::string("./a\0alice\0\0", 11), ""};
  Table processes = table_of(TableBuilder("processes").text("arguments", std::span(arguments)));
  ASSERT_TRUE(anonymizer.apply(processes));
  const std::string zero(1, '\0');
  const Names& names = anonymizer.names();
  EXPECT_EQ(processes.find("arguments")->text(0), "./" + names.token("a") + zero + names.token("alice") + zero + zero);
  EXPECT_EQ(processes.find("arguments")->text(1), "");
}

TEST(Anonymizer, KeysAsText) {
  const auto key = random_key();
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(*parse_key(key_text(*key)), *key);
  EXPECT_NE(*key, *random_key());
  for (const char* text : {"", "00", "0000000000000000000000000000000g"}) EXPECT_FALSE(parse_key(text).ok());
}

}  // namespace
}  // namespace headrace::anonymize
