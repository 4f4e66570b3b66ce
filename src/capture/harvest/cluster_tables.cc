#include "capture/harvest/cluster_tables.h"

#include "capture/harvest/table_columns.h"

namespace headrace::capture {

void ClusterTables::add(uint64_t process, uint64_t path, const model::ClusterMember& member) {
  members_.push_back(
      {process, path, member.cluster, member.outlier ? 1u : 0u, member.missing ? 1u : 0u, member.kept ? 1u : 0u});
  member_representatives_.push_back(static_cast<int64_t>(member.representative));
}

void ClusterTables::add(uint64_t instance, uint64_t path, const model::ClusterStats& stats) {
  for (const model::ClusterFeature& each : stats.features) {
    stats_.push_back({instance, path, stats.cluster, stats.ranks, stats.outliers});
    stats_representatives_.push_back(static_cast<int64_t>(stats.representative));
    layers_.push_back(each.layer);
    functions_.push_back(each.function);
    means_.push_back(each.mean);
    variances_.push_back(each.variance);
    least_.push_back(each.least);
    most_.push_back(each.most);
  }
}

void ClusterTables::mark() {
  marks_[0] = members_.size();
  marks_[1] = stats_.size();
}

void ClusterTables::rewind() {
  resize_all(marks_[0], members_, member_representatives_);
  resize_all(marks_[1], stats_, stats_representatives_, layers_, functions_, means_, variances_, least_, most_);
}

void ClusterTables::clear() {
  for (size_t& mark : marks_) mark = 0;
  rewind();
}

bool ClusterTables::due(uint32_t table, bool has_rows, bool every) {
  if (!has_rows && (!every || (written_ & table) != 0)) return false;
  written_ |= table;
  return true;
}

base::Status ClusterTables::flush(format::Writer& writer, bool every) {
  if (due(1, !members_.empty(), every)) HEADRACE_TRY(flush_members(writer));
  if (due(2, !stats_.empty(), every)) HEADRACE_TRY(flush_stats(writer));
  return {};
}

base::Status ClusterTables::flush_members(format::Writer& writer) {
  format::TableBuilder table("clusters");
  column(table, "process", members_, &MemberRow::process);
  column(table, "phase", members_, &MemberRow::phase);
  column(table, "cluster", members_, &MemberRow::cluster).i64("representative", member_representatives_);
  column(table, "outlier", members_, &MemberRow::outlier);
  column(table, "missing", members_, &MemberRow::missing);
  return store(writer, column(table, "kept", members_, &MemberRow::kept), members_, member_representatives_);
}

base::Status ClusterTables::flush_stats(format::Writer& writer) {
  format::TableBuilder table("cluster_stats");
  column(table, "instance", stats_, &StatsRow::instance);
  column(table, "phase", stats_, &StatsRow::phase);
  column(table, "cluster", stats_, &StatsRow::cluster);
  column(table, "ranks", stats_, &StatsRow::ranks);
  column(table, "outliers", stats_, &StatsRow::outliers).i64("representative", stats_representatives_);
  table.text("layer", layers_).text("function", functions_);
  table.f64("mean_s", means_).f64("variance_s2", variances_).f64("least_s", least_).f64("most_s", most_);
  return store(writer, table, stats_, stats_representatives_, layers_, functions_, means_, variances_, least_, most_);
}

}  // namespace headrace::capture
