#include "events/trace_names.h"

#include <algorithm>

#include "model/event_names.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;
using format::Column;
using format::Table;
using format::Type;

namespace {

/// Values of a column; 0 or nothing where it is not there or of another type.
class Values {
 public:
  Values(const Table& table, std::string_view name) : column_(table.find(name)) {}

  uint64_t u64(uint64_t row) const { return column_ && column_->type != Type::kText ? column_->u64(row) : 0; }
  std::string text(uint64_t row) const {
    return column_ && column_->type == Type::kText ? std::string(column_->text(row)) : std::string();
  }

 private:
  const Column* column_;
};

Result<Table> table_of(format::Reader& reader, std::string_view name, uint64_t job) {
  Result<Table> table = reader.table(name, job);
  return table.ok() || table.code() != Code::kNotFound ? std::move(table) : Table{std::string(name), 0, {}, {}};
}

Status read_facts(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "job", job));
  const Values key(table, "key"), value(table, "value");
  std::unordered_map<std::string, size_t> known;
  for (uint64_t row = 0; row < table.rows; ++row) {
    const auto [place, added] = known.emplace(key.text(row), names.facts.size());
    if (added) names.facts.emplace_back(key.text(row), "");
    names.facts[place->second].second = value.text(row);
  }
  return {};
}

Status read_locations(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "locations", job));
  const Values process(table, "process"), thread(table, "thread"), rank(table, "rank"), host(table, "host"),
      pid(table, "pid"), events(table, "events"), lost(table, "lost"), command(table, "command"), name(table, "name");
  for (uint64_t row = 0; row < table.rows; ++row) {
    const Location what{process.u64(row),
                        static_cast<uint32_t>(thread.u64(row)),
                        static_cast<int32_t>(rank.u64(row)),
                        host.text(row),
                        static_cast<uint32_t>(pid.u64(row)),
                        lost.u64(row),
                        command.text(row),
                        name.text(row)};
    names.locations.push_back({what, events.u64(row)});
  }
  return {};
}

model::TimeClass class_of(std::string_view name) {
  const auto& names = model::kTimeClassNames;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? model::TimeClass::kProgram : static_cast<model::TimeClass>(found - names.begin());
}

Status read_references(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "references", job));
  const Values id(table, "id"), kind(table, "kind"), layer(table, "layer"), name(table, "name"), time(table, "class");
  for (uint64_t row = 0; row < table.rows && names.references.size() < model::kMostReferences; ++row) {
    if (!names.reference_of.emplace(id.u64(row), static_cast<uint32_t>(names.references.size())).second) continue;
    names.references.push_back(
        {id.u64(row), kind.text(row), layer.text(row), name.text(row), class_of(time.text(row))});
  }
  return {};
}

Status read_handles(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "handles", job));
  const Values process(table, "process"), handle(table, "handle"), name(table, "name");
  for (uint64_t row = 0; row < table.rows; ++row)
    names.handles.try_emplace({process.u64(row), static_cast<uint32_t>(handle.u64(row))}, name.text(row));
  return {};
}

Status read_clocks(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "clocks", job));
  const Values process(table, "process"), node(table, "node"), when(table, "when"), at(table, "at_ns"),
      clock(table, "clock_ns"), utc(table, "utc_ns"), asleep(table, "asleep_ns"), reference(table, "reference"),
      offset(table, "offset_ns"), error(table, "error_ns");
  for (uint64_t row = 0; row < table.rows; ++row)
    names.clocks.push_back({process.u64(row), node.u64(row), when.text(row), static_cast<int64_t>(at.u64(row)),
                            clock.u64(row), utc.u64(row), asleep.u64(row), reference.u64(row),
                            static_cast<int64_t>(offset.u64(row)), error.u64(row)});
  return {};
}

Status read_accounts(format::Reader& reader, uint64_t job, TraceNames& names) {
  HEADRACE_ASSIGN(const Table table, table_of(reader, "accounts", job));
  const Values what(table, "what"), count(table, "count");
  for (uint64_t row = 0; row < table.rows; ++row) {
    uint64_t& sum = names.accounts[what.text(row)];
    sum = count.u64(row) > ~sum ? ~uint64_t{0} : sum + count.u64(row);
  }
  return {};
}

}  // namespace

Result<TraceNames> read_names(format::Reader& reader, uint64_t job) {
  TraceNames names;
  HEADRACE_TRY(read_facts(reader, job, names));
  HEADRACE_TRY(read_locations(reader, job, names));
  HEADRACE_TRY(read_references(reader, job, names));
  HEADRACE_TRY(read_handles(reader, job, names));
  HEADRACE_TRY(read_accounts(reader, job, names));
  HEADRACE_TRY(read_clocks(reader, job, names));
  return names;
}

}  // namespace headrace::events
