#include "capture/harvest/site_tables.h"

namespace headrace::capture {
namespace {
constexpr size_t kKnown = 1 << 16;  // stacks and modules; more are written again
}

bool SiteTables::is_new(uint64_t id) {
  if (known_.size() >= kKnown) known_.clear();
  return known_.insert(id).second;
}

void SiteTables::add_site(uint64_t process, uint64_t record, const model::CallSite& site) {
  sites_.push_back({process, record, site.stack, site.bytes, site.time_ns, site.at_ns});
  what_.push_back(site.what);
}

void SiteTables::drop_sites_from(size_t count) {
  sites_.resize(count);
  what_.resize(count);
}

void SiteTables::clear() { clear_all(sites_, what_, frames_, functions_, modules_, build_ids_, known_); }

base::Status SiteTables::flush(format::Writer& writer, bool every) {
  if (tables_.due(1, !modules_.empty(), every)) {
    format::TableBuilder table("modules");
    column(table, "module", modules_, &ModuleRow::module);
    column(table, "path", modules_, &ModuleRow::path).text("build_id", build_ids_);
    HEADRACE_TRY(store(writer, table, modules_, build_ids_));
  }
  if (tables_.due(2, !frames_.empty(), every)) {
    format::TableBuilder table("stacks");
    column(table, "stack", frames_, &FrameRow::stack);
    column(table, "depth", frames_, &FrameRow::depth);
    column(table, "module", frames_, &FrameRow::module);
    column(table, "offset", frames_, &FrameRow::offset).text("function", functions_);
    column(table, "file", frames_, &FrameRow::file);
    HEADRACE_TRY(store(writer, column(table, "line", frames_, &FrameRow::line), frames_, functions_));
  }
  if (tables_.due(4, !sites_.empty(), every)) {
    format::TableBuilder table("sites");
    column(table, "process", sites_, &SiteRow::process);
    column(table, "record", sites_, &SiteRow::record).text("what", what_);
    column(table, "stack", sites_, &SiteRow::stack);
    column(table, "bytes", sites_, &SiteRow::bytes);
    column(table, "time_ns", sites_, &SiteRow::time_ns);
    HEADRACE_TRY(store(writer, column(table, "at_ns", sites_, &SiteRow::at_ns), sites_, what_));
  }
  return {};
}

}  // namespace headrace::capture
