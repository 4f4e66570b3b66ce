#include "capture/harvest/spool_reader.h"

#include <algorithm>

#include "capture/harvest/cluster_notes.h"
#include "capture/harvest/damage.h"
#include "capture/harvest/figures.h"
#include "capture/harvest/repair.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/harvest/stack_reader.h"
#include "capture/harvest/thread_totals.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Result;
using base::Status;

Status check_header(const SpoolBytes& bytes, const std::string& label, Header* header) {
  if (!bytes.load(0, header) || header->magic == 0) {
    return Status(Code::kTruncated, label + ": the process ended before its capture was ready; nothing was recorded");
  }
  if (header->magic != kSpoolMagic) {
    return Status(Code::kForeign, label + ": this is no spool of a traced process (no magic number at offset 0)");
  }
  if (header->version != kSpoolVersion || header->header_bytes != sizeof(Header)) {
    return Status(Code::kUnsupported, label + ": written by version " + std::to_string(header->version) +
                                          " of the recorder, and this is version " + std::to_string(kSpoolVersion) +
                                          "; collect it with the version that captured it");
  }
  return {};
}

/// Reads records with their shards, directions, details and metadata.
class RecordReader {
 public:
  RecordReader(SpoolBytes& bytes, const ClockMap& clock, const StackReader& stacks, DamageList& damage,
               RecordSink& sink)
      : bytes_(bytes), clock_(clock), stacks_(stacks), damage_(damage), sink_(sink) {}

  void read_all(uint32_t first) {
    for (uint32_t offset = first; offset != 0;) {
      Record record;
      if (!bytes_.load(offset, &record) || !bytes_.take(offset, sizeof record + uint64_t{record.name_length})) {
        return damage_.add("a record", offset);
      }
      read(offset, record);
      offset = record.next;
    }
  }

  uint64_t count() const { return count_; }
  /// Opened files of which it is not known which code opened them.
  uint64_t unsited() const { return unsited_; }
  /// Call sites of which only the machine code is known.
  uint64_t lacking_python() const { return lacking_python_; }
  uint64_t last_ticks() const { return last_ticks_; }

 private:
  void read(uint32_t offset, const Record& record) {
    model::FileRecord out;
    std::string_view name, final_name;
    if (!bytes_.text(offset + sizeof record, record.name_length, &name)) damage_.add("a path", offset);
    if (!bytes_.name(record.final_name, &final_name)) damage_.add("a final path", offset);
    out.kind = kind_of(record.kind);
    out.path = name;
    if (out.kind == model::FileKind::kDirectoryRollup) out.path += "*";  // the recorder's name ends in "/*"
    out.final_path = final_name.empty() ? out.path : std::string(final_name);
    out.file = record.file;
    out.generation = record.generation;
    out[model::counter::last_close_at_ns] = record.last_close;
    model::FileRecord streams = out;
    streams.layer = model::Layer::kStdio;
    std::vector<model::FileRecord> libraries;  // of the layers that there are; mostly none
    bool kept[kSystemLayers] = {record.first_shard == 0, false}, folded = false;
    for (uint32_t at = record.first_shard; at != 0;) {
      Shard shard;
      if (!bytes_.claim(at, &shard)) {
        damage_.add("a shard", at);
        break;
      }
      at = shard.next;
      if (static_cast<uint32_t>(shard.layer) >= kLayers) {
        damage_.add("the layer of a shard", at);
        continue;
      }
      if (shard.state == kFolded) {
        folded = true;
      } else if (static_cast<uint32_t>(shard.layer) < kSystemLayers) {
        const bool stdio = shard.layer == Layer::kStdio;
        kept[stdio] = true;
        read_shard(stdio ? streams : out, shard);
      } else {
        read_shard(of_library(libraries, shard.layer, out), shard);
      }
    }
    read_properties(record, out, libraries);
    // What was folded is in a roll-up, and of a roll-up itself one layer may have stayed empty.
    if (kept[1] && kept[0] && is_empty(streams)) kept[1] = false;
    if (kept[0] && kept[1] && is_empty(out)) kept[0] = false;
    // A roll-up's names are those of all layers.
    if (kept[1] && (!kept[0] || out.kind == model::FileKind::kDirectoryRollup)) streams.properties = out.properties;
    if (out.kind == model::FileKind::kDirectoryRollup)
      for (model::FileRecord& each : libraries) each.properties = out.properties;
    // Call sites are kept by file; they go to the layer that opened it.
    const bool by_stdio = kept[1] && (!kept[0] || streams[model::counter::opens] > out[model::counter::opens]);
    if (kept[0] || kept[1]) read_sites(by_stdio ? streams : out, record);
    for (model::FileRecord* each : {&out, &streams}) {
      if (!kept[each == &streams]) continue;
      if (folded || (record.state & kPartial) != 0) (*each)[model::counter::flags] |= model::flag::partial;
      emit(*each);
    }
    for (model::FileRecord& each : libraries) {
      if (folded || (record.state & kPartial) != 0) each[model::counter::flags] |= model::flag::partial;
      if (!is_empty(each)) emit(each);
    }
  }

  static model::FileRecord& of_library(std::vector<model::FileRecord>& libraries, Layer layer,
                                       const model::FileRecord& named) {
    const auto wanted = static_cast<model::Layer>(layer);
    for (model::FileRecord& each : libraries)
      if (each.layer == wanted) return each;
    model::FileRecord& made = libraries.emplace_back();
    made.path = named.path;
    made.final_path = named.final_path;
    made.file = named.file;
    made.generation = named.generation;
    made.kind = named.kind;
    made.layer = wanted;
    return made;
  }

  void read_properties(const Record& record, model::FileRecord& system, std::vector<model::FileRecord>& libraries) {
    for (uint32_t at = record.properties; at != 0;) {
      Property property;
      std::string_view key, value;
      if (!bytes_.claim(at, &property) || !bytes_.text(at + sizeof property, property.key_length, &key) ||
          !bytes_.text(at + sizeof property + property.key_length, property.value_length, &value))
        return damage_.add("a property of a file", at);
      model::FileRecord* to = &system;
      for (model::FileRecord& each : libraries)
        if (static_cast<Layer>(each.layer) == property.layer) to = &each;
      // The latest of a key comes first; earlier values are of no use.
      const auto same = [&](const model::Property& each) { return each.key == key; };
      if (std::none_of(to->properties.begin(), to->properties.end(), same))
        to->properties.push_back({std::string(key), std::string(value)});
      at = property.next;
    }
  }

  /// Whether a record says nothing besides when the file was closed.
  static bool is_empty(const model::FileRecord& record) {
    for (uint32_t i = 0; i < model::counter::kCount; ++i) {
      if (i != model::counter::last_close_at_ns && record.counters[i] != 0) return false;
    }
    return true;
  }

  void read_sites(model::FileRecord& out, const Record& record) {
    lacking_python_ += stacks_.lacks_python(record.open_stack);
    if (const uint64_t stack = stacks_.id_at(record.open_stack); stack != 0)
      out.call_sites.push_back({"open", stack, 0, 0, 0});
    else
      unsited_ += out[model::counter::opens] != 0;
    Sites sites;
    if (record.sites < sizeof(Header)) return;  // none, or a mark
    if (!bytes_.claim(record.sites, &sites)) return damage_.add("call sites of a file", record.sites);
    static constexpr std::string_view kWhat[] = {"slowest_read", "slowest_write", "largest_read", "largest_write"};
    for (uint32_t i = 0; i < Sites::kCount; ++i) {
      const Site& site = sites.of[i];
      lacking_python_ += stacks_.lacks_python(site.stack);
      if (const uint64_t stack = stacks_.id_at(site.stack); stack != 0)
        out.call_sites.push_back({kWhat[i], stack, site.bytes, clock_.duration_ns(site.time), clock_.at_ns(site.at)});
    }
  }

  void read_shard(model::FileRecord& out, const Shard& shard) {
    add_shard(out, shard);
    for (uint32_t d = 0; d < 2; ++d) {
      if (shard.directions[d] != 0) read_direction(out, d, shard.directions[d]);
    }
    for (uint32_t at = shard.metadata; at != 0;) {
      Metadata counts;
      if (!bytes_.claim(at, &counts)) return damage_.add("counts of a file", at);
      add_metadata(out, counts);
      LibraryCounts library;
      if (counts.library != 0) {
        if (!bytes_.claim(counts.library, &library)) return damage_.add("counts of a library", counts.library);
        add_library(out, library);
      }
      at = counts.next;
    }
  }

  void read_direction(model::FileRecord& out, uint32_t d, uint32_t at) {
    Direction direction;
    Detail detail;
    if (!bytes_.claim(at, &direction)) return damage_.add("reads or writes of a file", at);
    const Detail* found = nullptr;
    if (direction.detail != 0) {
      if (bytes_.claim(direction.detail, &detail))
        found = &detail;
      else
        damage_.add("details of a file", direction.detail);
    }
    if (!add_direction(out, d, direction, found)) damage_.add("figures that contradict each other", direction.detail);
  }

  void emit(model::FileRecord& out) {
    using namespace model::counter;
    for (Index each : {last_close_at_ns, last_read_at_ns, last_write_at_ns}) {
      last_ticks_ = std::max(last_ticks_, out[each]);
    }
    convert_times(out, clock_);
    ++count_;
    sink_.record(out);
  }

  SpoolBytes& bytes_;
  const ClockMap& clock_;
  const StackReader& stacks_;
  DamageList& damage_;
  RecordSink& sink_;
  uint64_t count_ = 0, last_ticks_ = 0, unsited_ = 0, lacking_python_ = 0;
};

void read_process(const SpoolBytes& bytes, const Header& header, const ClockMap& clock, DamageList& damage,
                  SpoolContents* out) {
  model::Process& process = out->process;
  process.process_id = header.process_id;
  process.parent_process_id = header.parent_process_id;
  process.captured = true;
  if (header.ranks > 0 && header.rank >= 0 && header.rank < header.ranks) {
    process.rank = header.rank;
    process.ranks = static_cast<uint64_t>(header.ranks);
    process.instance = header.instance;
    process.spawned = header.spawned != 0;
  }
  process.start_at_ns = clock.start_at_ns();
  process.folded_records = header.folded_records;
  process.spawned_ranks = header.spawned_ranks;
  process.memory_bytes = header.used;
  process.memory_limit_bytes = header.limit;
  out->forked = header.forked != 0;
  out->created_boottime_ns = header.boottime_ns;
  if (header.ended == EndKind::kExit || header.ended == EndKind::kExec) {
    process.ended = header.ended == EndKind::kExit ? model::Ended::kExit : model::Ended::kExec;
    process.end_at_ns = process.seen_at_ns = clock.at_ns(header.ticks[1]);
    if (process.ended == model::Ended::kExit) process.exit_status = header.exit_status & 0xff;
  }
  const auto text = [&](uint32_t offset, std::string* to) {
    std::string_view found;
    if (!bytes.name(offset, &found)) damage.add("a name", offset);
    *to = found;
  };
  text(header.executable, &process.executable);
  text(header.arguments, &process.arguments);
  text(header.working_directory, &process.working_directory);
}

void add_gap(SpoolContents* out, uint64_t amount, const char* what, const char* unit, std::string reason) {
  if (amount != 0) out->gaps.push_back({what, amount, unit, std::move(reason)});
}

const char* reason_of(Reduced reduced) {
  switch (reduced) {
    case Reduced::kNotTried:
    case Reduced::kDone:
    case Reduced::kLeft:
    case Reduced::kUndecided:  // who reads the log knows
      return nullptr;
    case Reduced::kRanksMissing:
      return "not all ranks came to MPI_Finalize in time";
    case Reduced::kNoLibrary:
      return "libheadrace-finalize.so is not beside libheadrace.so, or cannot be loaded (programs with sanitizers)";
    case Reduced::kNoCopy:
      return "there was no memory for a copy of the records, or a thread could not be stopped for it";
    case Reduced::kFailed:
      return "another rank could not go on, or a message between ranks did not come in time";
    case Reduced::kNoMemory:
      return "the program had used up the memory";
    case Reduced::kLogFailed:
      return "the job log could not be written";
    case Reduced::kNotFinalized:
      return "the program ended without MPI_Finalize";
    case Reduced::kNoLaunch:
      return "nothing in the environment tells which ranks were launched together, and how many";
    case Reduced::kNotCaptured:
      return "not every rank of this node was captured until MPI_Finalize, or they keep their records in places that "
             "the others do not see";
    case Reduced::kUnknownMpi:
      return "this MPI is not known";
    case Reduced::kLogsDiffer:
      return "the launchers of the ranks write several logs: give them all one name with -o";
    case Reduced::kNoRoom:
      return "there was no room for them among the records";
  }
  return "for a reason that is not known here";
}

void read_gaps(const Header& header, const ClockMap& clock, const DamageList& damage, SpoolContents* out) {
  add_gap(out, damage.places(), "damaged spool", "places",
          "the program overwrote memory of its capture: " + damage.text() + "; what hangs on them is missing");
  if (const char* reason = reason_of(header.reduced))
    add_gap(out, 1, "reduction over ranks", "ranks", std::string(reason) + "; each rank has rows of its own");
  if (const char* reason = reason_of(header.clustered)) add_gap(out, 1, "clusters of ranks", "ranks", reason);
  add_gap(out, header.lost_properties, "properties of files", "properties",
          "there was no room to keep them, or their files were folded into roll-ups");
  add_gap(out, header.lost_requests, "requests of MPI", "requests",
          "too many receives and persistent requests at once (some 10,000): their bytes count nowhere");
  add_gap(out, header.library_calls_apart, "calls of libraries", "calls",
          "without room at their file: in the figures of their function, and in none of a file");
  add_gap(out, header.unknown_calls, "calls of an unknown library", "calls",
          "in a version of HDF5 that is not known: counted nowhere");
  add_gap(out, header.lost_phases, "phases", "instances",
          "begun while too many were open or known, or without memory: their figures are not apart");
  add_gap(out, header.stray_phase_ends, "ends of phases", "calls", "of phases that were not open: ignored");
  add_gap(out, header.dropped_instances, "instances of phases", "instances",
          "among very many: they count in their phase, without figures of their own");
  add_gap(out, header.changing_phases != 0, "phases", "instances",
          "the process was killed or looked at while a phase ended: its sums may lack or repeat that instance");
  add_gap(out, header.uncounted_sizes, "sizes of operations", "operations",
          "without memory for them: they are in the figures of files, not in those of phases; --memory gives more");
  add_gap(out, header.growth_failed, "spool growth", "processes",
          "the file system of the spool directory was full, so records folded early");
  add_gap(out, header.lost_children, "processes", "processes",
          "forked where no spool could be made: no descriptor left, another root directory, or another user");
  add_gap(out, header.io_uring, "io_uring", "rings",
          "made before a fork or where nobody saw it, in memory of the program's own, of a kind that is not known, or "
          "without memory to follow it: what was read and written through it is in no figure");
  add_gap(out, header.lost_operations, "asynchronous I/O", "operations",
          "their completion was not seen: more came between two calls on a ring than it holds, nobody fetched their "
          "result, or they were still under way. They are in no figure");
  add_gap(
      out, header.unsure_operations, "operations with equal user_data", "operations",
      "of different files or kinds, under way at once on a ring, and some failed or moved less than was asked: which "
      "ones, nothing tells. At most so many are in no file, at another's, or in no figure");
  add_gap(out, header.unnoted_programs, "processes", "programs",
          "started without capture where no note could be left: below another root directory, where a mount hides the "
          "job's records (--spool puts them elsewhere), as another user, or by a shell that cannot be captured");
  add_gap(out, header.go_program, "Go programs", "processes",
          "Go makes system calls of its own: what it does itself and what it starts are not captured, but what C code "
          "in it does");
  add_gap(out, clock.known() ? 0 : 1, "times", "processes",
          "the spool is of an earlier boot and has no second clock reading: its ticks cannot be converted");
  if (header.arguments_cut != 0) out->process.reason = "arguments were cut";
  if (header.phases_only != 0) {
    if (!out->process.reason.empty()) out->process.reason += "; ";
    out->process.reason += "nothing was recorded outside phases, as was asked for";
  }
}

}  // namespace

Result<SpoolContents> read_spool(std::span<std::byte> bytes, const std::string& label, const Moment& job_start,
                                 const Moment& now, RecordSink& sink) {
  SpoolBytes spool(bytes);
  Header header;
  HEADRACE_TRY(check_header(spool, label, &header));
  spool.take(0, sizeof header);
  SpoolContents out;
  DamageList damage;
  if (header.used > spool.size()) damage.add("the end of the file comes too early", spool.size());
  const ClockMap clock(header, job_start, now);
  repair(spool, header, damage);
  read_process(spool, header, clock, damage, &out);
  StackReader stacks(spool, header, out.process.executable, damage);
  RecordReader records(spool, clock, stacks, damage, sink);
  records.read_all(header.first_record);
  out.modules = stacks.take_modules();
  out.stacks = stacks.take_stacks();
  out.process.records = records.count();
  ThreadTotals threads(spool, header, clock, damage);
  threads.read_all();
  threads.give(&out, sink);
  // A copy that MPI_Finalize made says when; else the last call that was recorded is the last sign of life.
  const uint64_t last_ticks = std::max({records.last_ticks(), header.ticks[0], header.ticks[1]});
  out.phases = read_phases(spool, header, clock, header.ticks[1] ? header.ticks[1] : last_ticks, damage);
  std::string_view clusters;
  if (!spool.name(header.clusters, &clusters) || (!clusters.empty() && !decode_clusters(clusters, &out.clusters)))
    damage.add("clusters of the ranks", header.clusters);
  out.unfinished = read_current_calls(bytes, clock);
  if (out.process.end_at_ns == 0) {
    out.process.end_at_ns = clock.at_ns(last_ticks);
    for (const UnfinishedCall& call : out.unfinished)
      out.process.end_at_ns = std::max(out.process.end_at_ns, call.start_at_ns);
  }
  read_gaps(header, clock, damage, &out);
  add_gap(&out, records.unsited() + header.folded_sites, "call sites", "files",
          "which code opened them was not looked at, or there was no room to keep it");
  add_gap(&out, records.lacking_python(), "Python code of call sites", "call sites",
          "there was no room to keep its lines; the machine code is known");
  return out;
}

}  // namespace headrace::capture
