#pragma once
// A stream of chunks in its slots of a file that others write too (slots.h).
//
// No chunk crosses the end of an extent: what does not fit begins the next one that is long enough. Nobody else writes
// to these places, so a writer that goes on behind what is known to be stored overwrites what one before it, which was
// killed, had not told of.

#include <memory>
#include <string>

#include "format/sink.h"
#include "format/slots.h"

namespace headrace::format {

class SlotSink : public Sink {
 public:
  /// `position`: where in the stream the next chunk goes; kept up to date, and outlives the sink. kNotFound, kIo.
  static base::Result<std::unique_ptr<Sink>> open(const std::string& path, const Slots& slots, uint64_t stream,
                                                  uint64_t& position);
  ~SlotSink() override;
  SlotSink(const SlotSink&) = delete;
  SlotSink& operator=(const SlotSink&) = delete;

  /// kLimit: longer than the longest extent.
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override;
  bool replace_torn(std::span<const uint8_t> chunk) override;
  base::Status close() override;

 private:
  SlotSink(int descriptor, std::string label, const Slots& slots, uint64_t stream, uint64_t& position);
  int descriptor_;
  std::string label_;
  Slots slots_;
  uint64_t stream_;
  uint64_t& position_;
  uint64_t torn_bytes_ = 0;  // what the last append left there, if it failed
};

}  // namespace headrace::format
