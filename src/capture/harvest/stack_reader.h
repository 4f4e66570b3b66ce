// The stacks and modules of one spool, as content ids that mean the same in every process.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/harvest/damage.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/spool_layout.h"
#include "model/call_site.h"

namespace headrace::capture {

class StackReader {
 public:
  /// `executable`: the path that the program's own module stands for.
  StackReader(SpoolBytes& bytes, const Header& header, std::string executable, DamageList& damage);

  /// Id of the stack at an offset; 0 when none lies there.
  uint64_t id_at(uint32_t offset) const;
  /// Whether the stack at an offset has frames of Python that are not known.
  bool lacks_python(uint32_t offset) const { return lacking_.contains(offset); }
  std::vector<model::Stack> take_stacks() { return std::move(stacks_); }
  std::vector<model::Module> take_modules() { return std::move(modules_); }

 private:
  void read_modules(uint32_t first);
  void read_stacks(uint32_t first);
  bool read_frames(uint32_t offset, const Stack& stack, std::vector<model::Frame>* out);
  bool read_python(uint32_t offset, model::Frame* out);

  SpoolBytes& bytes_;
  std::string executable_;
  DamageList& damage_;
  std::unordered_map<uint64_t, uint64_t> module_ids_;  // by number in this spool
  std::unordered_map<uint32_t, uint64_t> stack_ids_;   // by offset
  std::unordered_map<uint32_t, model::Frame> python_;  // the same
  std::unordered_set<uint32_t> lacking_;               // the same
  std::vector<model::Stack> stacks_;
  std::vector<model::Module> modules_;
};

}  // namespace headrace::capture
