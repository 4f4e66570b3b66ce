#include "capture/harvest/job_log.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/clock.h"

namespace headrace::capture {
namespace {

/// Length of the UTF-8 sequence at the start of `text`, or 0 when it is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (length == 0 || byte(0) > 0xf4 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
  if (byte(0) == 0xed && byte(1) > 0x9f) return 0;  // surrogate
  if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (byte(0) == 0xf4 && byte(1) > 0x8f) return 0;  // beyond Unicode
  return length;
}

void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    char escape[8];
    if (length == 0) {
      snprintf(escape, sizeof escape, "\\udc%02x", first);
      out += escape;
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20 || first == 0x7f) {
      snprintf(escape, sizeof escape, "\\u%04x", first);
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

std::string json_array(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    append_json(out, text);
  }
  return out + "]";
}

JobLog::JobLog(LogOutput output, const Moment& start)
    : output_(std::move(output)), start_(start), host_(host_name()), tree_(host_) {}

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
  log_.tables_.add_file(process_, record, log_.mounts_.find(record.path));
}

void JobLog::refresh_mounts(const Moment& now) {
  // File systems come and go with automounters; a second is soon enough, and cheap enough.
  if (mounts_read_ns_ != 0 && now.monotonic_ns - mounts_read_ns_ < 1'000'000'000) return;
  mounts_ = MountTable::of_this_process();
  mounts_read_ns_ = now.monotonic_ns;
}

void JobLog::add_contents(const SpoolContents& contents) {
  const uint64_t id = contents.process.id;
  for (const model::Profile& profile : contents.profiles) tables_.add_profile(id, profile);
  for (const model::SeriesBin& bin : contents.series) tables_.add_series(id, bin);
  for (const model::Gap& gap : contents.gaps) tables_.add_gap(id, gap);
  for (const model::Module& module : contents.modules) tables_.add_module(module);
  for (const model::Stack& stack : contents.stacks) tables_.add_stack(stack);
  excluded_other_ += contents.excluded_other;
  child_other_ += contents.child_other;
  tables_.add_process(contents.process);
  ++processes_;
}

void JobLog::add_uncaptured(model::Process process) {
  process.host = host_;
  process.captured = false;
  tables_.add_gap(process.id, {"process", 1, "processes", process.reason});
  tables_.add_process(process);
  ++processes_;
}

void JobLog::add_untold_calls() {
  const char* kWhy = "calls that are neither open, read nor write are counted, but not told apart";
  if (const uint64_t calls = std::exchange(excluded_other_, 0); calls != 0) {
    add_gap({"excluded paths", calls, "calls", kWhy});
  }
  if (const uint64_t calls = std::exchange(child_other_, 0); calls != 0) {
    add_gap({"vfork children", calls, "calls", kWhy});
  }
}

base::Status JobLog::close() {
  add_untold_calls();
  HEADRACE_TRY(output_.write(tables_, true));
  return output_.close();
}

}  // namespace headrace::capture
