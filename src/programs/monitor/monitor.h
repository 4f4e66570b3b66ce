// The loop of `headrace monitor`: look, compare, store, wait.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collect/devices/open_metrics.h"
#include "collect/devices/sample_store.h"
#include "collect/devices/sources.h"
#include "collect/devices/tracker.h"
#include "programs/monitor/listener.h"
#include "programs/monitor/options.h"

namespace headrace::programs {

class Monitor {
 public:
  explicit Monitor(MonitorSettings settings) : settings_(std::move(settings)), sources_(settings_.sources) {}

  /// Until a signal, or as many samples as asked for. Errors before the first sample; later ones are said and lived
  /// with, but for those of the end.
  base::Status run();

 private:
  base::Status begin();
  void sample();
  void keep(const collect::Rows& rows);
  void publish();
  /// Until the next full interval of the clock of the day, so that all hosts sample at the same moments.
  void wait();
  /// Once for each text.
  void complain(const std::string& text);

  MonitorSettings settings_;
  collect::Sources sources_;
  std::unique_ptr<collect::Tracker> tracker_;
  std::unique_ptr<collect::SampleStore> store_;
  Listener listener_;
  collect::Look look_;
  collect::MonitorFigures figures_;
  std::set<std::string> said_;
  std::vector<std::string> problems_;
  uint64_t failed_ = 0;  // samples in a row that could not be stored
};

}  // namespace headrace::programs
