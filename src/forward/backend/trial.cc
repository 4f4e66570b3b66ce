#include "forward/backend/trial.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::forward {
namespace {

class TrialFile : public OpenFile {
 public:
  TrialFile(std::shared_ptr<OpenFile> inner, TrialBackend::State* state, std::string path)
      : inner_(std::move(inner)), state_(state), path_(std::move(path)) {}

  Outcome<uint64_t> read(Extent where, uint8_t* into) override {
    state_->reads += 1;
    state_->delay(path_);
    return inner_->read(where, into);
  }
  Written write(Extent where, const uint8_t* from) override {
    const std::unique_lock<std::mutex> alone = lock();
    state_->delay(path_);
    return limited(where, from);
  }
  Written write_parts(uint64_t offset, std::span<const iovec> parts) override {
    const std::unique_lock<std::mutex> alone = lock();
    state_->delay(path_);
    const bool is_plain = state_->options.fail_after == UINT64_MAX && state_->options.bad.length == 0;
    if (is_plain && state_->options.die_file.empty()) return inner_->write_parts(offset, parts);
    Written all{0, 0};
    for (const iovec& part : parts) {
      const Written written = limited({offset + all.bytes, part.iov_len}, static_cast<const uint8_t*>(part.iov_base));
      all = {all.bytes + written.bytes, written.error};
      if (all.error != 0) break;
    }
    return all;
  }
  int commit() override {
    state_->delay(path_);
    return state_->options.fail_commit ? state_->options.error : inner_->commit();
  }
  int resize(uint64_t size) override { return inner_->resize(size); }
  int extend(uint64_t size) override { return inner_->extend(size); }
  Outcome<Attributes> attributes() override { return inner_->attributes(); }

 private:
  /// Many file systems let one writer at a time into a file.
  std::unique_lock<std::mutex> lock() {
    return state_->options.one_writer ? std::unique_lock<std::mutex>(state_->one_writer)
                                      : std::unique_lock<std::mutex>();
  }
  Written limited(Extent where, const uint8_t* from) {
    if (state_->is_to_die()) {
      inner_->write({where.offset, where.length / 2}, from);
      TrialBackend::State::die();
    }
    const uint64_t before = state_->written.fetch_add(where.length);
    uint64_t room = state_->options.fail_after - std::min(state_->options.fail_after, before);
    const Extent& bad = state_->options.bad;
    if (where.offset < bad.offset + bad.length && bad.offset < where.offset + where.length)
      room = std::min(room, bad.offset - std::min(bad.offset, where.offset));
    if (where.length <= room) return inner_->write(where, from);
    const Written part = inner_->write({where.offset, room}, from);
    return {part.bytes, part.error != 0 ? part.error : state_->options.error};
  }

  std::shared_ptr<OpenFile> inner_;
  TrialBackend::State* state_;
  const std::string path_;
};

}  // namespace

void TrialBackend::State::delay(const std::string& path) const {
  const timespec time{static_cast<time_t>(options.delay_ns / 1'000'000'000),
                      static_cast<long>(options.delay_ns % 1'000'000'000)};
  if (options.delay_ns != 0) nanosleep(&time, nullptr);
  const timespec moment{0, 1'000'000};
  const bool stops = !options.stop_file.empty() && path.starts_with(options.stops);
  while (stops && access(options.stop_file.c_str(), F_OK) == 0) nanosleep(&moment, nullptr);
}

bool TrialBackend::State::is_to_die() const {
  return !options.die_file.empty() && unlink(options.die_file.c_str()) == 0;
}

void TrialBackend::State::die() {
  kill(getpid(), SIGKILL);
  abort();
}

Outcome<std::shared_ptr<OpenFile>> TrialBackend::open(const File& file, bool for_writing) {
  auto opened = inner_->open(file, for_writing);
  if (!opened.ok()) return opened;
  return std::shared_ptr<OpenFile>(std::make_shared<TrialFile>(std::move(*opened), &state_, file.path));
}

}  // namespace headrace::forward
