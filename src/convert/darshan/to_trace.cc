#include "convert/darshan/to_trace.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "convert/darshan/table_view.h"
#include "events/trace_writer.h"

namespace headrace::convert::darshan {

using base::Code;
using base::Result;
using base::Status;
using events::Reference;
using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

constexpr size_t kMostLanes = 256;  // each operation is compared with all of them

struct Operation {
  uint64_t begin, end, place, bytes;
  uint32_t function, handle;
};

/// What is open of a thread; operations go where they nest.
struct Lane {
  std::vector<Event> events;
  std::vector<Operation> open;

  void leave_until(uint64_t at) {
    for (; !open.empty() && open.back().end <= at; open.pop_back()) {
      const Operation& over = open.back();
      events.push_back(
          {over.end, over.bytes, 0, model::kind_and_reference(EventKind::kIoEnd, over.function), over.handle});
    }
  }
  bool has_room(const Operation& next) const { return open.empty() || next.end <= open.back().end; }
  void begin(const Operation& next) {
    events.push_back({next.begin, next.bytes, next.place, model::kind_and_reference(EventKind::kIoBegin, next.function),
                      next.handle});
    open.push_back(next);
  }
};

/// Numbers of functions: a layer's reading and writing.
class Functions {
 public:
  uint32_t number_of(std::string_view layer, bool writes) {
    const auto [place, added] = numbers_.try_emplace({std::string(layer), writes}, static_cast<uint32_t>(list_.size()));
    if (added) {
      Reference what{.kind = "function", .layer = std::string(layer), .name = writes ? "write" : "read"};
      what.time_class = writes ? TimeClass::kWrite : TimeClass::kRead;
      what.id = base::hash_text("function " + what.layer + " " + what.name);
      list_.push_back(std::move(what));
    }
    return place->second;
  }
  const std::vector<Reference>& list() const { return list_; }

 private:
  std::map<std::pair<std::string, bool>, uint32_t> numbers_;
  std::vector<Reference> list_;
};

class TraceMaker {
 public:
  TraceMaker(const Tables& tables, events::TraceWriter& writer)
      : tables_(tables),
        writer_(writer),
        segments_(tables, "segments"),
        files_(tables, "files"),
        processes_(segments_.number("process")),
        threads_(segments_.number("thread")),
        begins_(segments_.number("start_at_ns")),
        ends_(segments_.number("end_at_ns")),
        offsets_(segments_.number("offset")),
        bytes_(segments_.number("bytes")),
        records_(segments_.number("record")),
        layers_(segments_.text("layer")),
        directions_(segments_.text("direction")) {
    const TableView names(tables, "names");
    const NumberView ids = names.number("name");
    const TextView texts = names.text("text");
    std::map<uint64_t, uint64_t> name_rows;
    for (uint64_t row = 0; row < names.rows(); ++row) name_rows[ids[row]] = row;
    const NumberView records = files_.number("record"), paths = files_.number("path");
    for (uint64_t row = 0; row < files_.rows(); ++row) {
      const auto name = name_rows.find(paths[row]);
      if (name != name_rows.end()) path_of_[records[row]] = std::string(texts[name->second]);
    }
  }

  Result<Traced> write() {
    HEADRACE_TRY(writer_.add_facts(facts()));
    const std::vector<uint64_t> rows = rows_by_thread();
    uint64_t process = 0;
    uint32_t threads_so_far = 0;
    for (size_t first = 0; first < rows.size();) {
      size_t last = first;
      while (last < rows.size() && processes_[rows[last]] == processes_[rows[first]] &&
             threads_[rows[last]] == threads_[rows[first]])
        ++last;
      if (process != processes_[rows[first]]) threads_so_far = 0;
      process = processes_[rows[first]];
      HEADRACE_TRY(write_thread(process, std::span(rows).subspan(first, last - first), threads_so_far));
      first = last;
    }
    HEADRACE_TRY(write_idle());
    count_untraced();
    HEADRACE_TRY(writer_.close());
    return traced_;
  }

 private:
  std::vector<std::pair<std::string, std::string>> facts() const {
    std::vector<std::pair<std::string, std::string>> all;
    const TableView job(tables_, "job");
    const TextView keys = job.text("key"), values = job.text("value");
    for (uint64_t row = 0; row < job.rows(); ++row) all.emplace_back(keys[row], values[row]);
    return all;
  }

  std::vector<uint64_t> rows_by_thread() const {
    std::vector<uint64_t> rows(segments_.rows());
    for (uint64_t row = 0; row < rows.size(); ++row) rows[row] = row;
    // Of two that begin together the longer one is around the other; MPI-IO is around the system's calls.
    const auto key = [&](uint64_t row) {
      return std::tuple(processes_[row], threads_[row], begins_[row], ~ends_[row], layers_[row] == "posix");
    };
    std::stable_sort(rows.begin(), rows.end(), [&](uint64_t a, uint64_t b) { return key(a) < key(b); });
    return rows;
  }

  Status write_thread(uint64_t process, std::span<const uint64_t> rows, uint32_t& threads_so_far) {
    std::vector<Lane> lanes;
    for (const uint64_t row : rows) {
      const Operation next = operation(process, row);
      size_t lane = 0;
      for (; lane < lanes.size(); ++lane) {
        lanes[lane].leave_until(next.begin);
        if (lanes[lane].has_room(next)) break;
      }
      if (lane == kMostLanes) {
        ++traced_.left_out;
        continue;
      }
      if (lane == lanes.size()) lanes.emplace_back();
      traced_.lanes += lane > 0;
      ++traced_.operations;
      lanes[lane].begin(next);
    }
    for (Lane& lane : lanes) {
      lane.leave_until(~uint64_t{0});
      events::Location location = location_of(process);
      location.thread = ++threads_so_far;
      HEADRACE_TRY(writer_.add(location, lane.events, functions_.list()));
    }
    return {};
  }

  Operation operation(uint64_t process, uint64_t row) {
    traced_.backward += ends_[row] < begins_[row];
    const int64_t offset = offsets_.i64(row);
    return {.begin = begins_[row],
            .end = std::max(begins_[row], ends_[row]),
            .place = offset < 0 ? model::kUnknownPlace : static_cast<uint64_t>(offset),
            .bytes = bytes_[row],
            .function = functions_.number_of(layers_[row], directions_[row] == "write"),
            .handle = handle_of(process, records_[row])};
  }

  uint32_t handle_of(uint64_t process, uint64_t record) {
    const auto path = path_of_.find(record);
    if (path == path_of_.end()) return 0;
    auto& handles = handles_[process];
    const auto [place, added] = handles.try_emplace(path->second, static_cast<uint32_t>(handles.size() + 1));
    if (added) named_.push_back({process, place->second, path->second});
    return place->second;
  }

  /// Locations of processes that the trace has nothing of, and what handles are.
  Status write_idle() {
    HEADRACE_TRY(writer_.add(named_));
    const TableView table(tables_, "processes");
    const NumberView ids = table.number("process"), ranks = table.number("rank");
    for (uint64_t row = 0; row < table.rows(); ++row) {
      if (ranks.i64(row) < 0 || written_.contains(ids[row])) continue;
      events::Location location = location_of(ids[row]);
      location.thread = 1;
      HEADRACE_TRY(writer_.add(location, {}, {}));
    }
    return {};
  }

  events::Location location_of(uint64_t process) {
    written_.insert(process);
    if (process_rows_.empty()) {
      const TableView table(tables_, "processes");
      const NumberView ids = table.number("process");
      for (uint64_t row = 0; row < table.rows(); ++row) process_rows_[ids[row]] = row;
    }
    events::Location location{.process = process};
    const auto row = process_rows_.find(process);
    if (row == process_rows_.end()) return location;
    const TableView table(tables_, "processes");
    const int64_t rank = table.number("rank").i64(row->second);
    location.rank = rank >= 0 && rank <= INT32_MAX ? static_cast<int32_t>(rank) : -1;
    location.host = table.text("host")[row->second];
    location.process_id = static_cast<uint32_t>(table.number("pid")[row->second]);
    return location;
  }

  /// By layer, as one may have more operations in the trace than it counts.
  void count_untraced() {
    std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> layers;  // counted, traced
    const TextView counted = files_.text("layer"), kinds = files_.text("kind");
    const NumberView reads = files_.number("reads"), writes = files_.number("writes");
    for (uint64_t row = 0; row < files_.rows(); ++row)
      if (kinds[row] == "file") layers[std::string(counted[row])].first += reads[row] + writes[row];
    for (uint64_t row = 0; row < segments_.rows(); ++row) ++layers[std::string(layers_[row])].second;
    for (const auto& [layer, amounts] : layers)
      if (amounts.first > amounts.second) traced_.untraced += amounts.first - amounts.second;
  }

  const Tables& tables_;
  events::TraceWriter& writer_;
  TableView segments_, files_;
  NumberView processes_, threads_, begins_, ends_, offsets_, bytes_, records_;  // of segments
  TextView layers_, directions_;
  Functions functions_;
  std::unordered_map<uint64_t, std::string> path_of_;  // by row of `files`
  std::unordered_map<uint64_t, std::unordered_map<std::string, uint32_t>> handles_;
  std::vector<events::Handle> named_;
  std::unordered_map<uint64_t, uint64_t> process_rows_;
  std::set<uint64_t> written_;
  Traced traced_;
};

}  // namespace

Result<Traced> write_trace(const Tables& tables, std::unique_ptr<format::Sink> sink) {
  if (TableView(tables, "segments").rows() == 0)
    return Status(Code::kInvalid,
                  "the log has no operations one by one, only their sums: Darshan traces them where "
                  "DXT_ENABLE_IO_TRACE=1 is set, and Headrace with `headrace run --trace`");
  HEADRACE_ASSIGN(events::TraceWriter writer, events::TraceWriter::open(std::move(sink), 0));
  return TraceMaker(tables, writer).write();
}

}  // namespace headrace::convert::darshan
