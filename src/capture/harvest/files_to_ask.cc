#include "capture/harvest/files_to_ask.h"

namespace headrace::capture {

void append(const FileToAsk& file, std::vector<uint8_t>* bytes) {
  base::ByteWriter to(*bytes);
  to.u64(file.process);
  to.u64(file.record);
  to.u32(static_cast<uint32_t>(file.path.size()));
  to.append(base::as_bytes(file.path));
}

base::Status read_files_to_ask(base::Bytes bytes, std::vector<FileToAsk>* files) {
  base::ByteReader from(bytes);
  while (from.left() > 0) {
    FileToAsk file;
    file.process = from.u64();
    file.record = from.u64();
    file.path = base::as_text(from.take(from.u32()));
    if (!from.ok()) return {base::Code::kCorrupt, "the names of files end too early"};
    files->push_back(std::move(file));
  }
  return {};
}

}  // namespace headrace::capture
