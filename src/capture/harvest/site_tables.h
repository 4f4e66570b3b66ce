// The waiting rows of the tables `sites`, `stacks` and `modules`. Stacks and modules are stored once, whichever process
// has them first. One thread at a time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "capture/harvest/table_columns.h"
#include "model/call_site.h"

namespace headrace::capture {

class SiteTables {
 public:
  void add_site(uint64_t process, uint64_t record, const model::CallSite& site);
  /// Unless it is in the log already. `name_of` gives a name's id.
  template <typename NameOf>
  void add_stack(const model::Stack& stack, NameOf name_of) {
    if (!is_new(stack.id)) return;
    for (const model::Frame& frame : stack.frames) {
      const uint64_t depth = static_cast<uint64_t>(&frame - stack.frames.data());
      frames_.push_back(
          {stack.id, depth, frame.module, frame.offset, frame.file.empty() ? 0 : name_of(frame.file), frame.line});
      functions_.push_back(frame.function);
    }
  }
  /// The same.
  template <typename NameOf>
  void add_module(const model::Module& module, NameOf name_of) {
    if (!is_new(module.id)) return;
    modules_.push_back({module.id, name_of(module.path)});
    build_ids_.push_back(module.build_id);
  }

  size_t sites() const { return sites_.size(); }
  void drop_sites_from(size_t count);
  uint64_t rows() const { return sites_.size() + frames_.size() + modules_.size(); }
  /// `every`: also tables that never had a row.
  base::Status flush(format::Writer& writer, bool every);
  void clear();

 private:
  struct SiteRow {
    uint64_t process, record, stack, bytes, time_ns, at_ns;
  };
  struct FrameRow {
    uint64_t stack, depth, module, offset, file, line;
  };
  struct ModuleRow {
    uint64_t module, path;
  };
  bool is_new(uint64_t id);

  std::vector<SiteRow> sites_;
  std::vector<std::string_view> what_;
  std::vector<FrameRow> frames_;
  std::vector<std::string> functions_;
  std::vector<ModuleRow> modules_;
  std::vector<std::string> build_ids_;
  std::unordered_set<uint64_t> known_;  // emptied when it grows too large
  WrittenTables tables_;
};

}  // namespace headrace::capture
