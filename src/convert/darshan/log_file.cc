#include "convert/darshan/log_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace headrace::convert::darshan {

namespace {
constexpr size_t kDeflateBlock = 256 * 1024;
constexpr size_t kJobMetadata = 1024, kJobHead = 56;

/// At most so many bytes, and no part of a character: PyDarshan stops at one.
std::string_view cut(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}
}  // namespace

struct LogFile::Deflate {
  z_stream z{};
};

LogFile::LogFile() : file_(kHeaderBytes), deflate_(std::make_unique<Deflate>()) {
  deflateInit(&deflate_->z, Z_DEFAULT_COMPRESSION);
}

LogFile::~LogFile() { deflateEnd(&deflate_->z); }

void LogFile::begin(Region* region) {
  open_ = region;
  region->offset = file_.size();
  deflateReset(&deflate_->z);
}

void LogFile::begin(Module module, uint32_t version) {
  versions_[static_cast<size_t>(module)] = version;
  begin(&modules_[static_cast<size_t>(module)]);
}

void LogFile::bytes(base::Bytes bytes) {
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  if (waiting_.size() >= kDeflateBlock) deflate(false);
}

void LogFile::text(std::string_view text, size_t room) {
  const std::string_view kept = cut(text, room - 1);
  bytes(base::as_bytes(kept));
  bytes(std::vector<uint8_t>(room - kept.size()));
}

void LogFile::deflate(bool last) {
  z_stream& z = deflate_->z;
  z.next_in = waiting_.data();
  z.avail_in = static_cast<uInt>(waiting_.size());
  do {
    const size_t before = file_.size();
    file_.resize(before + kDeflateBlock);
    z.next_out = file_.data() + before;
    z.avail_out = kDeflateBlock;
    ::deflate(&z, last ? Z_FINISH : Z_NO_FLUSH);
    file_.resize(before + kDeflateBlock - z.avail_out);
  } while (z.avail_out == 0);
  waiting_.clear();
}

void LogFile::end() {
  deflate(true);
  open_->length = file_.size() - open_->offset;
}

std::vector<uint8_t> LogFile::finish(uint64_t partial) {
  std::vector<uint8_t> header;
  base::ByteWriter out(header);
  out.append(base::as_bytes(std::string_view("3.41\0\0\0\0", 8)));
  out.u64(kMagic);
  out.u64(static_cast<uint64_t>(Compression::kZlib));
  out.u64(partial);
  out.u64(names_.offset);
  out.u64(names_.length);
  for (const Region& region : modules_) {
    out.u64(region.offset);
    out.u64(region.length);
  }
  for (const uint32_t version : versions_) out.u32(version);
  std::copy(header.begin(), header.end(), file_.begin());
  return std::move(file_);
}

void write_job(LogFile& file, const JobRecord& job) {
  file.begin_job();
  for (const int64_t value : {job.user, job.start_s, job.start_ns, job.end_s, job.end_ns, job.processes, job.job}) {
    file.i64(value);
  }
  file.text(job.metadata, kJobMetadata);
  const auto line_of = [](const Mount& mount) { return "\n" + mount.type + "\t" + mount.point; };
  // Darshan's readers find the end of the command by the first mount behind it.
  const size_t least = job.mounts.empty() ? 0 : std::min<size_t>(line_of(job.mounts.front()).size(), 1024);
  std::string rest(cut(job.command, kJobBytes - kJobHead - kJobMetadata - 1 - least));
  std::replace(rest.begin(), rest.end(), '\n', ' ');
  for (const Mount& mount : job.mounts) {
    const std::string line = line_of(mount);
    if (kJobHead + kJobMetadata + rest.size() + line.size() + 1 <= kJobBytes) rest += line;
  }
  file.text(rest, kJobBytes - kJobHead - kJobMetadata);
  file.end();
}

}  // namespace headrace::convert::darshan
