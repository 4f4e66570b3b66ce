#include "capture/harvest/share_tables.h"

namespace headrace::capture {

void ShareTables::add(const model::SharedRecord& record) {
  shared_.push_back({record.record, record.ranks, record.bytes.least, record.bytes.most, record.time_ns.least,
                     record.time_ns.most, record.opened_size, record.opened_flags});
  who_.push_back(record.who);
  bytes_mean_.push_back(record.bytes.mean);
  bytes_variance_.push_back(record.bytes.variance);
  time_mean_.push_back(record.time_ns.mean);
  time_variance_.push_back(record.time_ns.variance);
  fastest_.push_back(record.fastest_rank);
  slowest_.push_back(record.slowest_rank);
}

void ShareTables::add(const model::Share& share) {
  shares_.push_back(share);
  layers_.push_back(model::layer_name(share.layer));
  kinds_.push_back(model::kind_name(share.kind));
}

void ShareTables::mark() {
  marked_shared_ = shared_.size();
  marked_shares_ = shares_.size();
}

void ShareTables::rewind() {
  resize_all(marked_shared_, shared_, who_, bytes_mean_, bytes_variance_, time_mean_, time_variance_, fastest_,
             slowest_);
  resize_all(marked_shares_, shares_, layers_, kinds_);
}

void ShareTables::clear() {
  marked_shared_ = marked_shares_ = 0;
  rewind();
}

base::Status ShareTables::flush(format::Writer& writer, bool every) {
  if (tables_.due(1, !shared_.empty(), every)) HEADRACE_TRY(flush_shared(writer));
  if (tables_.due(2, !shares_.empty(), every)) HEADRACE_TRY(flush_shares(writer));
  return {};
}

base::Status ShareTables::flush_shared(format::Writer& writer) {
  format::TableBuilder table("shared");
  column(table, "record", shared_, &SharedRow::record);
  column(table, "ranks", shared_, &SharedRow::ranks).text("who", who_);
  column(table, "bytes_least", shared_, &SharedRow::bytes_least);
  column(table, "bytes_most", shared_, &SharedRow::bytes_most);
  table.f64("bytes_mean", bytes_mean_).f64("bytes_variance", bytes_variance_);
  column(table, "time_least_ns", shared_, &SharedRow::time_least_ns);
  column(table, "time_most_ns", shared_, &SharedRow::time_most_ns);
  table.f64("time_mean_ns", time_mean_).f64("time_variance_ns2", time_variance_);
  table.i64("fastest_rank", fastest_).i64("slowest_rank", slowest_);
  column(table, "opened_size", shared_, &SharedRow::opened_size);
  column(table, "opened_flags", shared_, &SharedRow::opened_flags);
  return store(writer, table, shared_, who_, bytes_mean_, bytes_variance_, time_mean_, time_variance_, fastest_,
               slowest_);
}

base::Status ShareTables::flush_shares(format::Writer& writer) {
  format::TableBuilder table("shares");
  column(table, "process", shares_, &model::Share::process);
  column(table, "record", shares_, &model::Share::record).text("layer", layers_).text("kind", kinds_);
  column(table, "files", shares_, &model::Share::files);
  column(table, "reads", shares_, &model::Share::reads);
  column(table, "writes", shares_, &model::Share::writes);
  column(table, "calls", shares_, &model::Share::calls);
  column(table, "bytes_read", shares_, &model::Share::bytes_read);
  column(table, "bytes_written", shares_, &model::Share::bytes_written);
  column(table, "read_ns", shares_, &model::Share::read_ns);
  column(table, "write_ns", shares_, &model::Share::write_ns);
  return store(writer, column(table, "meta_ns", shares_, &model::Share::meta_ns), shares_, layers_, kinds_);
}

}  // namespace headrace::capture
