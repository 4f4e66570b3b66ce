#include "capture/harvest/job_log.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/json_text.h"
#include "capture/harvest/files_to_ask.h"
#include "capture/harvest/libraries_inside.h"
#include "capture/harvest/store_events.h"
#include "capture/harvest/thread_accounts.h"
#include "capture/harvest/trace_unfinished.h"
#include "capture/harvest/untold_calls.h"

namespace headrace::capture {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

std::string json_array(const std::vector<std::string>& texts) { return base::json_array(texts); }

JobLog::JobLog(LogOutput output, const Moment& start)
    : output_(std::move(output)), start_(start), trace_(start), host_(host_name()), tree_(host_) {
  output_.start_at(start.realtime_ns);
}

void JobLog::anonymize(const base::SipKey& key) {
  anonymizer_ = std::make_unique<anonymize::Anonymizer>(key);
  output_.filter(anonymizer_.get());
}

void JobLog::continue_in(LogOutput output) {
  output_ = std::move(output);
  output_.filter(anonymizer_.get());
  tables_.continue_log();
}

void JobLog::Rows::record(const model::FileRecord& record) {
  const Mount* mount = log_.mount_of(record.path, record.kind);
  log_.tables_.add_file(process_, record, mount);
  if (mount == nullptr || record.kind != model::FileKind::kFile || !FileLayouts::told_by(*mount)) return;
  told_.push_back({model::record_id(process_, record), record.final_path, mount});
}

/// The mount that the names of the path say. Where there are file systems whose layouts matter, directories of users
/// are often links to them: then links are followed.
const Mount* JobLog::mount_of(const std::string& path, model::FileKind kind) {
  // A roll-up may have files of all directories below its own.
  const bool is_rollup = kind == model::FileKind::kDirectoryRollup;
  if (is_rollup && mounts_.has_below(path.substr(0, std::max<size_t>(1, path.rfind('/'))))) return nullptr;
  const Mount* mount = mounts_.find(path);
  const bool by_name = kind == model::FileKind::kFile || kind == model::FileKind::kDirectory ||
                       kind == model::FileKind::kDirectoryRollup;
  if (!by_name || !has_layouts_ || mount == nullptr || FileLayouts::told_by(*mount)) return mount;
  const std::string directory = path.substr(0, path.rfind('/'));
  const std::string& real = layouts_.real_directory(directory.empty() ? "/" : directory);
  if (real.empty() || real == directory) return mount;
  const Mount* followed = mounts_.find(real + "/file");
  return followed == nullptr ? mount : followed;
}

void JobLog::Rows::add_layouts() {
  for (const Told& file : told_) {
    log_.tables_.add_properties(process_, file.record, log_.layouts_.of(file.path, *file.mount));
  }
}

void JobLog::add_layouts(base::Bytes files_to_ask) {
  std::vector<FileToAsk> files;
  const base::Status whole = read_files_to_ask(files_to_ask, &files);
  if (!whole.ok()) add_gap({"layouts of files", 1, "processes", whole.message()});
  refresh_mounts(Moment::now());
  for (const FileToAsk& file : files) {
    const Mount* mount = mount_of(file.path, model::FileKind::kFile);
    if (mount != nullptr && FileLayouts::told_by(*mount))
      tables_.add_properties(file.process, file.record, layouts_.of(file.path, *mount));
  }
}

void JobLog::refresh_mounts(const Moment& now) {
  // File systems come and go with automounters; a second is soon enough, and cheap enough.
  if (mounts_read_ns_ != 0 && now.monotonic_ns - mounts_read_ns_ < 1'000'000'000) return;
  mounts_ = MountTable::of_this_process();
  for (const Mount& mount : forwarded_) mounts_.add(mount);
  mounts_read_ns_ = now.monotonic_ns;
  has_layouts_ = std::any_of(mounts_.mounts().begin(), mounts_.mounts().end(), FileLayouts::told_by);
}

void JobLog::add_contents(const SpoolContents& contents) {
  const uint64_t id = contents.process.id;
  for (const model::Profile& profile : contents.profiles) tables_.add_profile(id, profile);
  for (const UnfinishedCall& call : contents.unfinished) tables_.add_unfinished(contents.process, call);
  for (const model::SeriesBin& bin : contents.series) tables_.add_series(id, bin);
  for (const model::Phase& phase : contents.phases.finished) tables_.add_phase(id, phase);
  tables_.add_clusters(id, contents.process.instance, contents.clusters);
  for (const model::Gap& gap : contents.gaps) tables_.add_gap(id, gap);
  for (const model::Module& module : contents.modules) tables_.add_module(module);
  for (const model::Stack& stack : contents.stacks) tables_.add_stack(stack);
  add_libraries_inside(contents);
  excluded_other_ += contents.excluded_other;
  add_process(contents.process);
}

/// Static programs that are linked with capture have calls of such libraries all the same.
void JobLog::add_libraries_inside(const SpoolContents& contents) {
  for (const LibraryInside& library : libraries_inside(contents.process.executable)) {
    const bool seen = std::any_of(contents.profiles.begin(), contents.profiles.end(), [&](const model::Profile& each) {
      return each.layer == library.layer || each.function.starts_with(library.layer);
    });
    if (seen) continue;
    const std::string name = library.name;
    tables_.add_gap(contents.process.id,
                    {"calls of " + name, 1, "processes", name + " is linked into the program: " + library.what});
  }
  const bool has_rings = std::any_of(contents.modules.begin(), contents.modules.end(), [&](const model::Module& each) {
    return each.path != contents.process.executable && has_rings_inside(each.path);
  });
  if (has_rings)
    tables_.add_gap(contents.process.id, {"calls of io_uring", 1, "processes",
                                          "io_uring is linked into a shared library of the program: if it is used, "
                                          "what is read and written so is in no figure"});
}

void JobLog::add_process(const model::Process& process) {
  ++processes_;
  last_end_ns_ = std::max({last_end_ns_, process.end_at_ns, process.seen_at_ns});
  tables_.add_process(process);
  if (!nodes_.insert(process.host).second) return;
  const auto variable = [](const char* name) { return getenv(name) == nullptr ? "" : getenv(name); };
  // Slurm tells of the node that this runs on.
  const std::string nearest =
      process.host != host_ ? ""
                            : leaf_switch(variable("SLURM_TOPOLOGY_ADDR"), variable("SLURM_TOPOLOGY_ADDR_PATTERN"));
  tables_.add_node(process.host, topology_.io_node_of(process.host), nearest);
}

void JobLog::add_uncaptured(model::Process process) {
  process.host = host_;
  process.captured = false;
  tables_.add_gap(process.id, {"process", 1, "processes", process.reason});
  add_process(process);
}

void JobLog::add_lost_events(std::span<const std::byte> spool) {
  Header header{};
  if (spool.size() >= sizeof header) std::memcpy(static_cast<void*>(&header), spool.data(), sizeof header);
  if (header.magic == kSpoolMagic && header.version == kSpoolVersion)
    add_not_traced(header.lost_events, "no file could be made for them where records are kept");
}

void JobLog::add_not_traced(uint64_t calls, const std::string& why) {
  if (calls == 0) return;
  add_gap({"events of the trace", calls, "calls", why});
  not_traced_[why] += calls;
}

namespace {

/// How many of its calls flushers have stored.
uint64_t calls_of(const FlushAccount& account) {
  uint64_t calls = 0;
  for (const auto& [thread, each] : account.threads) calls += each.at.events / 2;
  return calls;
}

}  // namespace

void JobLog::add_events(const EventBytes& events, FlushAccount account, const std::string& part,
                        std::span<const std::byte> spool, const model::Process& process, const Moment& now) {
  RecordedEvents recorded = read_events(events);
  const uint64_t left = recorded.events();
  const uint64_t stored = calls_of(account);
  const uint64_t in_part = account.is_part ? stored : 0;  // which goes with the spool
  if (anonymizer_) {
    return add_not_traced(
        left + stored, "a trace names files as they are; record with names, then use `headrace anonymize` on the log");
  }
  Header header{};
  if (spool.size() >= sizeof header) std::memcpy(static_cast<void*>(&header), spool.data(), sizeof header);
  ClockMap clock(header, start_, now);
  const std::vector<UnfinishedCall> unfinished = read_current_calls(spool, clock);
  if (account.generation != 0) clock.go_on_from(account.is_part ? std::vector<ClockPoint>() : account.points, now);
  model::Process here = process;
  here.host = host_;
  take_unfinished(unfinished, here, clock, recorded);
  base::Status added = header.magic == kSpoolMagic && clock.known()
                           ? trace_.add(output_, here, recorded, header, clock, account, part)
                           : base::Status(base::Code::kCorrupt, "no clock is known for their times");
  if (!added.ok()) add_not_traced(left + in_part, added.message());
  if (added.ok()) add_trace_trouble(trace_.add(output_, thread_accounts(spool, here.id)));
  if (account.moved > 0)
    add_gap({"events of the trace", account.moved, "calls",
             "calls inside of them were stored before they were over: in the trace they begin later"});
  add_not_traced(recorded.lost + recorded.beyond, reason_of_loss(recorded));
  add_not_traced(recorded.unreadable, "the file that had them became shorter while they were read");
  if (recorded.damaged) add_damaged_trace("a part of what it recorded is damaged");
}

void JobLog::add_damaged_trace(const std::string& why) {
  add_gap({"events of the trace", 1, "processes", why});
  ++damaged_traces_;
}

void JobLog::add_trace_trouble(const base::Status& status) {
  if (status.ok() ||
      std::find(trace_troubles_.begin(), trace_troubles_.end(), status.message()) != trace_troubles_.end())
    return;
  add_gap({"events of the trace", 1, "traces", status.message()});
  trace_troubles_.push_back(status.message());
}

/// The log tells of what lies elsewhere, each once.
void JobLog::add_trace_parts() {
  const TracePlaces& places = trace_.places();
  for (; told_parts_ < places.parts().size(); ++told_parts_)
    add_gap({"events of the trace", 1, "files",
             "what came first is in " + places.parts()[told_parts_] +
                 (places.trouble().empty() ? "" : ", since " + places.trouble())});
}

base::Status JobLog::flush() {
  // The log comes first: what the trace lacks is told in it.
  add_trace_trouble(trace_.flush(output_));
  return output_.write(tables_, false);
}

base::Status JobLog::close() {
  add_trace_trouble(trace_.close(output_));
  add_trace_parts();
  trace_.put_others_aside(output_);
  if (const std::string dropped = trace_.dropped(); !dropped.empty()) add_fact("trace_dropped", dropped);
  add_untold_calls(tables_, std::exchange(excluded_other_, 0));
  for (const model::Gap& gap : layouts_.take_gaps()) add_gap(gap);
  HEADRACE_TRY(output_.write(tables_, true));
  return output_.close();
}

}  // namespace headrace::capture
