#include "forward/backend/trial.h"

#include <time.h>

#include <algorithm>

namespace headrace::forward {
namespace {

class TrialFile : public OpenFile {
 public:
  TrialFile(std::shared_ptr<OpenFile> inner, TrialBackend::State* state) : inner_(std::move(inner)), state_(state) {}

  Outcome<uint64_t> read(Extent where, uint8_t* into) override {
    state_->delay();
    return inner_->read(where, into);
  }
  Written write(Extent where, const uint8_t* from) override {
    state_->delay();
    const uint64_t before = state_->written.fetch_add(where.length);
    const uint64_t room = state_->options.fail_after - std::min(state_->options.fail_after, before);
    if (where.length <= room) return inner_->write(where, from);
    const Written part = inner_->write({where.offset, room}, from);
    return {part.bytes, part.error != 0 ? part.error : state_->options.error};
  }
  int commit() override {
    state_->delay();
    return state_->options.fail_commit ? state_->options.error : inner_->commit();
  }
  int resize(uint64_t size) override { return inner_->resize(size); }
  Outcome<Attributes> attributes() override { return inner_->attributes(); }

 private:
  std::shared_ptr<OpenFile> inner_;
  TrialBackend::State* state_;
};

}  // namespace

void TrialBackend::State::delay() const {
  const timespec time{static_cast<time_t>(options.delay_ns / 1'000'000'000),
                      static_cast<long>(options.delay_ns % 1'000'000'000)};
  if (options.delay_ns != 0) nanosleep(&time, nullptr);
}

Outcome<std::shared_ptr<OpenFile>> TrialBackend::open(const File& file, bool for_writing) {
  auto opened = inner_->open(file, for_writing);
  if (!opened.ok()) return opened;
  return std::shared_ptr<OpenFile>(std::make_shared<TrialFile>(std::move(*opened), &state_));
}

}  // namespace headrace::forward
