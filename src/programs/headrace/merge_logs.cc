#include "programs/headrace/merge_logs.h"
#include "programs/headrace/stored.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "capture/harvest/log_output.h"
#include "capture/harvest/shared_log.h"
#include "capture/spool_layout.h"
#include "format/reader.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// One job of one of the logs.
struct Input {
  std::string path;
  format::Reader* reader;
  uint64_t job;
  Facts facts;
  uint64_t start_utc_ns;
};

struct Inputs {
  std::vector<std::unique_ptr<format::Reader>> readers;
  std::vector<Input> jobs;  // by their start
};

Facts facts_of(format::Reader& reader, uint64_t job) {
  Facts facts;
  const auto table = reader.table("job", job);
  const format::Column* key = table.ok() ? table->find("key") : nullptr;
  const format::Column* value = table.ok() ? table->find("value") : nullptr;
  for (uint64_t row = 0; key != nullptr && value != nullptr && row < table->rows; ++row)
    facts[std::string(key->text(row))] = value->text(row);
  return facts;
}

Result<Inputs> open_all(const std::vector<std::string>& logs) {
  Inputs inputs;
  for (const std::string& path : logs) {
    HEADRACE_ASSIGN(format::Reader reader, format::Reader::open(path));
    inputs.readers.push_back(std::make_unique<format::Reader>(std::move(reader)));
    format::Reader* const opened = inputs.readers.back().get();
    for (const uint64_t job : opened->jobs()) {
      Input input{path, opened, job, facts_of(*opened, job), 0};
      input.start_utc_ns = strtoull(input.facts["start_utc_ns"].c_str(), nullptr, 10);
      if (input.start_utc_ns == 0) return Status(Code::kInvalid, path + ": does not say when it began");
      if (input.facts["anonymized"] == "1")
        return Status(Code::kInvalid, path +
                                          ": is without names, and other logs have other tokens for the same names; "
                                          "merge the logs with names, then use `headrace anonymize`");
      inputs.jobs.push_back(std::move(input));
    }
  }
  std::stable_sort(inputs.jobs.begin(), inputs.jobs.end(),
                   [](const Input& a, const Input& b) { return a.start_utc_ns < b.start_utc_ns; });
  return inputs;
}

/// A process in two logs would count twice.
Status check_apart(const std::vector<Input>& inputs) {
  std::map<uint64_t, const Input*> owners;
  for (const Input& input : inputs) {
    const auto table = input.reader->table("processes", input.job);
    const format::Column* column = table.ok() ? table->find("process") : nullptr;
    for (uint64_t row = 0; column != nullptr && row < table->rows; ++row) {
      const auto [place, is_new] = owners.try_emplace(column->u64(row), &input);
      if (is_new || place->second == &input) continue;
      return {Code::kInvalid,
              place->second->path + " and " + input.path +
                  " tell of the same process; give each log once, and no log that has another one's part"};
    }
  }
  return {};
}

bool is_moment(const format::Column& column) {
  const bool named = column.name == "at_ns" || column.name.ends_with("_at_ns");
  return named && column.type == format::Type::kU64;
}

/// Moves the times of `table`, where 0 means never.
void shift(format::Table& table, uint64_t by_ns) {
  for (format::Column& column : table.columns) {
    if (!is_moment(column)) continue;
    if (column.constant) {
      if (column.bits != 0) column.bits += by_ns;
      continue;
    }
    for (uint64_t row = 0; row < column.rows; ++row)
      if (column.words[row] != 0) column.words[row] += by_ns;
  }
}

Status copy_tables(const Input& input, uint64_t by_ns, format::Writer& writer) {
  for (const std::string& name : input.reader->tables()) {
    if (name == "job") continue;
    auto table = input.reader->table(name, input.job);
    if (!table.ok() && table.code() == Code::kNotFound) continue;
    HEADRACE_TRY(table.status());
    if (table->columns.empty()) continue;
    shift(*table, by_ns);
    HEADRACE_TRY(writer.add(format::TableCopy(*table).builder()));
  }
  return {};
}

/// What a part of the log says of itself; parts within it stay such.
void add_part(const Input& input, uint64_t number, Facts& facts) {
  const std::string part = capture::kPartFact + capture::identity_text(number);
  std::string complete;
  bool has_parts = false;
  for (const auto& [key, value] : input.facts) {
    if (key == "complete") complete = value;
    if (key.starts_with(capture::kPartFact)) {
      facts[key] = value;
      has_parts = true;
    }
    if (key == "exit_status" || key == "end_utc_ns") facts[part + "." + key] = value;
  }
  const auto& damage = input.reader->damage();
  if (!damage.empty())
    complete = "no: a part of it is damaged, and lost in the merge";
  else if (complete.empty() && !has_parts)
    complete = "no: nobody says that it is";
  else if (complete == "yes" && !input.reader->closed())
    complete = "no: a part of it was not closed: its end may be missing";
  facts[part] = complete.empty() ? "yes" : complete;
}

/// The description of the job, and what each part says, or else what is to be said of all of it.
Facts facts_of_all(const std::vector<Input>& inputs, uint64_t start_utc_ns, const std::string& complete) {
  Facts facts;
  bool damaged = false;
  for (const Input& input : inputs) damaged |= !input.reader->damage().empty();
  if (!complete.empty() && !damaged) {
    facts["complete"] = complete;
    facts["end_utc_ns"] = std::to_string(base::clock_ns(CLOCK_REALTIME));
  } else {
    for (const Input& input : inputs) add_part(input, input.job, facts);
  }
  for (const auto& [key, value] : inputs.front().facts) {
    const bool of_part = key == "complete" || key == "exit_status" || key == "end_utc_ns" ||
                         key == capture::kIdentityFact || key.starts_with(capture::kPartFact);
    if (!of_part) facts[key] = value;
  }
  for (const Input& input : inputs)
    for (const auto& [key, value] : input.facts)
      if (key.starts_with(capture::kReductionFact) || key.starts_with(capture::kStoodForFact)) facts[key] = value;
  facts["start_utc_ns"] = std::to_string(start_utc_ns);
  return facts;
}

Status add_facts(const Facts& facts, format::Writer& writer) {
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : facts) {
    keys.push_back(key);
    values.push_back(value);
  }
  format::TableBuilder table("job");
  return writer.add(table.text("key", keys).text("value", values));
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

bool is_log_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
         capture::LogOutput::check_replaceable(path).ok();
}

Result<uint64_t> earliest_start(const std::vector<std::string>& logs) {
  HEADRACE_ASSIGN(const Inputs inputs, open_all(logs));
  return inputs.jobs.empty() ? UINT64_MAX : inputs.jobs.front().start_utc_ns;
}

Status merge_logs(const std::vector<std::string>& logs, const std::string& output, uint64_t start_utc_ns,
                  const std::string& complete) {
  HEADRACE_ASSIGN(const Inputs inputs, open_all(logs));
  HEADRACE_TRY(check_apart(inputs.jobs));
  for (const std::string& log : logs)
    if (same_file(log, output))
      return {Code::kInvalid, output + ": is one of the logs to merge; give another name with -o"};
  const uint64_t identity = base::random_number();
  HEADRACE_ASSIGN(const capture::SharedLog log,
                  capture::SharedLog::open(output, capture::identity_text(identity), start_utc_ns));
  HEADRACE_ASSIGN(auto sink, log.sink());
  format::WriterOptions options;
  options.job = log.job();
  options.producer.process = identity;
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::move(sink), options));
  for (const Input& input : inputs.jobs) HEADRACE_TRY(copy_tables(input, input.start_utc_ns - start_utc_ns, writer));
  if (!inputs.jobs.empty()) HEADRACE_TRY(add_facts(facts_of_all(inputs.jobs, start_utc_ns, complete), writer));
  return writer.close();
}

}  // namespace headrace::programs
