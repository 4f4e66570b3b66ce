#include "bindings/trace_tables.h"

#include "model/event_names.h"

namespace headrace::bindings {

namespace {

template <typename Row>
class Columns {
 public:
  Columns(const char* name, const std::vector<Row>& rows) : rows_(rows) {
    frame_ = {.name = name, .rows = rows.size()};
  }

  template <typename Pick>
  Columns& add(const char* name, Pick pick, Kind kind = Kind::kU64) {
    std::vector<uint64_t> words;
    words.reserve(rows_.size());
    for (const Row& row : rows_) words.push_back(static_cast<uint64_t>(pick(row)));
    frame_.columns.push_back(number_values(name, std::move(words), kind));
    return *this;
  }
  Frame finish() { return std::move(frame_); }

 private:
  const std::vector<Row>& rows_;
  Frame frame_;
};

}  // namespace

std::vector<Frame> table_frames(const convert::TableRows& rows) {
  using S = convert::SpanRow;
  using M = convert::MessageRow;
  using C = convert::CollectiveRow;
  using N = convert::CounterRow;
  std::vector<Frame> frames;
  frames.push_back(Columns<S>("spans", rows.spans)
                       .add("location", [](const S& row) { return row.location; })
                       .add("function", [](const S& row) { return row.function; })
                       .add("begin_ns", [](const S& row) { return row.begin_ns; })
                       .add("duration_ns", [](const S& row) { return row.duration_ns; })
                       .add("depth", [](const S& row) { return row.depth; })
                       .add("handle", [](const S& row) { return row.handle; })
                       .add("offset", [](const S& row) { return row.offset; })
                       .add("size", [](const S& row) { return row.size; })
                       .add("moved", [](const S& row) { return row.moved; })
                       .add("error", [](const S& row) { return row.error; })
                       .add("whole", [](const S& row) { return row.whole; })
                       .finish());
  frames.push_back(Columns<M>("messages", rows.messages)
                       .add("location", [](const M& row) { return row.location; })
                       .add("time_ns", [](const M& row) { return row.time_ns; })
                       .add("sent", [](const M& row) { return row.sent; })
                       .add("communicator", [](const M& row) { return row.communicator; })
                       .add("peer", [](const M& row) { return row.peer; })
                       .add("tag", [](const M& row) { return row.tag; })
                       .add("bytes", [](const M& row) { return row.bytes; })
                       .finish());
  const auto root = [](const C& row) { return row.root == model::kNoRoot ? convert::kNothing : row.root; };
  frames.push_back(Columns<C>("collectives", rows.collectives)
                       .add("location", [](const C& row) { return row.location; })
                       .add("time_ns", [](const C& row) { return row.time_ns; })
                       .add("communicator", [](const C& row) { return row.communicator; })
                       .add("root", root)
                       .add("sent", [](const C& row) { return row.sent; })
                       .add("received", [](const C& row) { return row.received; })
                       .finish());
  frames.push_back(Columns<N>("counters", rows.counters)
                       .add("location", [](const N& row) { return row.location; })
                       .add("time_ns", [](const N& row) { return row.time_ns; })
                       .add("counter", [](const N& row) { return row.counter; })
                       .add(
                           "value", [](const N& row) { return row.value; }, Kind::kF64)
                       .finish());
  return frames;
}

Frame function_frame(const events::TraceReader& trace) {
  std::vector<uint64_t> numbers, ids;
  TextBuilder kinds, layers, names, classes;
  for (const events::Reference& each : trace.references()) {
    numbers.push_back(numbers.size());
    ids.push_back(each.id);
    kinds.add(each.kind);
    layers.add(each.layer);
    names.add(each.name);
    classes.add(model::name_of(each.time_class));
  }
  Frame frame{.name = "functions", .rows = numbers.size()};
  frame.columns.push_back(number_values("function", std::move(numbers)));
  frame.columns.push_back(number_values("id", std::move(ids)));
  frame.columns.push_back(kinds.finish("kind"));
  frame.columns.push_back(layers.finish("layer"));
  frame.columns.push_back(names.finish("name"));
  frame.columns.push_back(classes.finish("class"));
  return frame;
}

Frame handle_frame(const events::TraceReader& trace, const convert::TraceTables& tables) {
  std::vector<uint64_t> processes, handles;
  TextBuilder paths;
  for (const auto& [process, handle] : tables.handles()) {
    processes.push_back(process);
    handles.push_back(handle);
    paths.add(trace.handle(process, handle));
  }
  Frame frame{.name = "handles", .rows = handles.size()};
  frame.columns.push_back(number_values("process", std::move(processes)));
  frame.columns.push_back(number_values("handle", std::move(handles)));
  frame.columns.push_back(paths.finish("path"));
  return frame;
}

}  // namespace headrace::bindings
