#include "anonymize/rewrite.h"

#include <algorithm>
#include <map>

#include "format/writer.h"

namespace headrace::anonymize {
namespace {

using base::Code;
using base::Status;
using format::Reader;
using format::Table;
using format::Writer;

/// Several Writers, one a job, append to one sink that outlives them.
class SharedSink : public format::Sink {
 public:
  explicit SharedSink(format::Sink& sink) : sink_(sink) {}
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override { return sink_.append(chunk); }
  Status close() override { return {}; }

 private:
  format::Sink& sink_;
};

/// The tables of one job, `names` first because the others refer to it, `job` last because it says what was lost.
std::vector<std::string> ordered_tables(const Reader& reader) {
  std::vector<std::string> tables = reader.tables();
  const auto place = [](const std::string& name) { return name == "names" ? 0 : name == "job" ? 2 : 1; };
  std::stable_sort(tables.begin(), tables.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return tables;
}

std::string complete_of(const Table& job) {
  const format::Column* keys = job.find("key");
  const format::Column* values = job.find("value");
  std::string found;
  if (!keys || !values || keys->type != format::Type::kText || values->type != format::Type::kText) return found;
  for (uint64_t row = 0; row < job.rows; ++row) {
    if (keys->text(row) == "complete") found = values->text(row);
  }
  return found;
}

/// What the new log has to say of itself, because readers cannot see in it what became of the old one.
Status add_facts(Writer& writer, const Reader& reader, const std::string& complete) {
  uint64_t lost = 0;
  for (const format::Damage& damage : reader.damage()) lost += damage.bytes;
  std::string text;
  if (!reader.damage().empty()) {
    text = "no: the log is damaged: " + std::to_string(lost) + " bytes of it could not be used";
  } else if (!reader.closed() && complete == "yes") {
    text = "no: the log was not closed: its end may be missing";
  }
  std::vector<std::string> keys = {"anonymized"}, values = {"1"};
  if (!text.empty()) {
    keys.emplace_back("complete");
    values.push_back(text);
  }
  format::TableBuilder table("job");
  return writer.add(table.text("key", keys).text("value", values));
}

Status rewrite_job(Reader& reader, uint64_t job, Anonymizer& anonymizer, Writer& writer) {
  std::string complete;
  for (const std::string& name : ordered_tables(reader)) {
    auto table = reader.table(name, job);
    if (!table.ok() && table.code() == Code::kNotFound) continue;
    HEADRACE_TRY(table.status());
    if (name == "job") complete = complete_of(*table);
    if (!anonymizer.apply(*table) || table->columns.empty()) continue;
    HEADRACE_TRY(writer.add(format::TableCopy(*table).builder()));
  }
  return add_facts(writer, reader, complete);
}

}  // namespace

base::Result<Rewritten> rewrite(Reader& reader, std::unique_ptr<format::Sink> sink, Anonymizer& anonymizer) {
  const std::vector<std::string> tables = reader.tables();
  if (std::none_of(tables.begin(), tables.end(), is_known_table)) {
    return Status(Code::kForeign, "a chunk file, but not a job log: it has none of the tables of one");
  }
  HEADRACE_TRY(reader.verify());  // so that the facts of every job can say what is lost
  Rewritten result;
  for (const format::ChunkInfo& chunk : reader.chunks()) {
    if (chunk.header.kind != format::kTableKind) {
      result.left_out.push_back("chunks of kind '" + format::kind_text(chunk.header.kind) + "'");
    }
  }
  for (const uint64_t job : reader.jobs()) {
    format::WriterOptions options;
    options.job = anonymizer.names().id(job == 0 ? 1 : job);
    HEADRACE_ASSIGN(Writer writer, Writer::open(std::make_unique<SharedSink>(*sink), options));
    HEADRACE_TRY(rewrite_job(reader, job, anonymizer, writer));
    HEADRACE_TRY(writer.close());
    ++result.jobs;
  }
  HEADRACE_TRY(sink->close());
  result.left_out.insert(result.left_out.end(), anonymizer.left_out().begin(), anonymizer.left_out().end());
  std::sort(result.left_out.begin(), result.left_out.end());
  result.left_out.erase(std::unique(result.left_out.begin(), result.left_out.end()), result.left_out.end());
  result.damage = reader.damage();
  return result;
}

}  // namespace headrace::anonymize
