#include "capture/harvest/phase_tables.h"

namespace headrace::capture {

void PhaseTables::add(uint64_t process, uint64_t path, const model::Phase& p) {
  if (p.instances != 0) {  // not so for the sizes of the whole run
    phases_.push_back({process, path, p.instance, p.instances, p.cut, p.start_at_ns, p.end_at_ns, p.time_ns, p.least_ns,
                       p.most_ns, p.slowest, p.bytes_read, p.bytes_written, p.message_bytes, p.read_ns, p.write_ns,
                       p.meta_ns, p.message_ns});
    ended_.push_back(p.ended);
    variances_.push_back(p.variance_ns2);
  }
  for (const model::Profile& each : p.profiles) {
    profiles_.push_back({process, path, p.instance, each.calls, each.errors, each.bytes, each.time_ns, each.own_ns});
    functions_.push_back(each.function);
    profile_layers_.push_back(each.layer);
  }
  for (const model::FlowBin& bin : p.series) {
    series_.push_back({process, path, p.instance, bin.start_at_ns, bin.width_ns, bin.bytes});
    series_directions_.push_back(bin.direction);
  }
  for (const model::SizeCount& size : p.sizes) {
    sizes_.push_back({process, path, p.instance, size.least, size.most, size.count});
    size_layers_.push_back(size.layer);
    size_directions_.push_back(size.direction);
  }
}

void PhaseTables::mark() {
  marks_[0] = phases_.size();
  marks_[1] = profiles_.size();
  marks_[2] = series_.size();
  marks_[3] = sizes_.size();
}

void PhaseTables::rewind() {
  resize_all(marks_[0], phases_, ended_, variances_);
  resize_all(marks_[1], profiles_, functions_, profile_layers_);
  resize_all(marks_[2], series_, series_directions_);
  resize_all(marks_[3], sizes_, size_layers_, size_directions_);
}

void PhaseTables::clear() {
  for (size_t& mark : marks_) mark = 0;
  rewind();
}

base::Status PhaseTables::flush(format::Writer& writer, bool every) {
  if (tables_.due(1, !phases_.empty(), every)) HEADRACE_TRY(flush_phases(writer));
  if (tables_.due(2, !profiles_.empty(), every)) HEADRACE_TRY(flush_profiles(writer));
  if (tables_.due(4, !series_.empty(), every)) HEADRACE_TRY(flush_series(writer));
  if (tables_.due(8, !sizes_.empty(), every)) HEADRACE_TRY(flush_sizes(writer));
  return {};
}

base::Status PhaseTables::flush_phases(format::Writer& writer) {
  format::TableBuilder table("phases");
  column(table, "process", phases_, &Row::process);
  column(table, "phase", phases_, &Row::phase);
  column(table, "instance", phases_, &Row::instance);
  column(table, "instances", phases_, &Row::instances).text("ended", ended_);
  column(table, "cut", phases_, &Row::cut);
  column(table, "start_at_ns", phases_, &Row::start_at_ns);
  column(table, "end_at_ns", phases_, &Row::end_at_ns);
  column(table, "time_ns", phases_, &Row::time_ns);
  column(table, "least_ns", phases_, &Row::least_ns);
  column(table, "most_ns", phases_, &Row::most_ns).f64("variance_ns2", variances_);
  column(table, "slowest", phases_, &Row::slowest);
  column(table, "bytes_read", phases_, &Row::bytes_read);
  column(table, "bytes_written", phases_, &Row::bytes_written);
  column(table, "message_bytes", phases_, &Row::message_bytes);
  column(table, "read_ns", phases_, &Row::read_ns);
  column(table, "write_ns", phases_, &Row::write_ns);
  column(table, "meta_ns", phases_, &Row::meta_ns);
  return store(writer, column(table, "message_ns", phases_, &Row::message_ns), phases_, ended_, variances_);
}

base::Status PhaseTables::flush_profiles(format::Writer& writer) {
  format::TableBuilder table("phase_profiles");
  column(table, "process", profiles_, &ProfileRow::process);
  column(table, "phase", profiles_, &ProfileRow::phase);
  column(table, "instance", profiles_, &ProfileRow::instance).text("function", functions_);
  table.text("layer", profile_layers_);
  column(table, "calls", profiles_, &ProfileRow::calls);
  column(table, "errors", profiles_, &ProfileRow::errors);
  column(table, "bytes", profiles_, &ProfileRow::bytes);
  column(table, "time_ns", profiles_, &ProfileRow::time_ns);
  return store(writer, column(table, "own_ns", profiles_, &ProfileRow::own_ns), profiles_, functions_, profile_layers_);
}

base::Status PhaseTables::flush_series(format::Writer& writer) {
  format::TableBuilder table("phase_series");
  column(table, "process", series_, &SeriesRow::process);
  column(table, "phase", series_, &SeriesRow::phase);
  column(table, "instance", series_, &SeriesRow::instance).text("direction", series_directions_);
  column(table, "start_at_ns", series_, &SeriesRow::start_at_ns);
  column(table, "width_ns", series_, &SeriesRow::width_ns);
  return store(writer, column(table, "bytes", series_, &SeriesRow::bytes), series_, series_directions_);
}

base::Status PhaseTables::flush_sizes(format::Writer& writer) {
  format::TableBuilder table("phase_sizes");
  column(table, "process", sizes_, &SizeRow::process);
  column(table, "phase", sizes_, &SizeRow::phase);
  column(table, "instance", sizes_, &SizeRow::instance).text("layer", size_layers_);
  table.text("direction", size_directions_);
  column(table, "least", sizes_, &SizeRow::least);
  column(table, "most", sizes_, &SizeRow::most);
  return store(writer, column(table, "count", sizes_, &SizeRow::count), sizes_, size_layers_, size_directions_);
}

}  // namespace headrace::capture
