// This rank's figures from the copy of its spool.
#pragma once
#include <string>

#include "capture/harvest/process_tree.h"
#include "capture/reduce/rank_part.h"

namespace headrace::programs {

class SpoolSource : public capture::RankSource {
 public:
  /// `bytes`: the copy, which must outlive this.
  SpoolSource(std::span<std::byte> bytes, std::string name, const capture::Image& image)
      : bytes_(bytes), name_(std::move(name)), image_(image), now_(capture::Moment::now()) {}
  /// Sets the zero of all times, on this node's clocks.
  void count_from(const capture::Moment& start) { start_ = start; }
  base::Result<capture::SpoolContents> read(capture::RecordSink& sink) override;

 private:
  std::span<std::byte> bytes_;
  std::string name_;
  capture::Image image_;
  capture::Moment start_{}, now_;
};

}  // namespace headrace::programs
