#include "capture/harvest/stack_reader.h"

#include <utility>

#include "base/hexadecimal.h"

namespace headrace::capture {
StackReader::StackReader(SpoolBytes& bytes, const Header& header, std::string executable, DamageList& damage)
    : bytes_(bytes), executable_(std::move(executable)), damage_(damage) {
  read_modules(header.first_module);
  read_stacks(header.first_stack);
}

uint64_t StackReader::id_at(uint32_t offset) const {
  const auto found = stack_ids_.find(offset);
  return found == stack_ids_.end() ? 0 : found->second;
}

void StackReader::read_modules(uint32_t first) {
  constexpr size_t kMostModules = 256, kLongestName = 4096;  // more than the recorder writes
  for (uint32_t offset = first; offset != 0;) {
    if (modules_.size() >= kMostModules) return damage_.add("the list of modules", offset);
    Module module;
    std::string_view name;
    if (!bytes_.claim(offset, &module)) return damage_.add("a module", offset);
    if (!bytes_.name(module.name, &name) || name.size() > kLongestName) {
      damage_.add("a module's name", offset);
      name = {};
    }
    if (module.id == 0 || module.build_id_length > sizeof module.build_id || module_ids_.contains(module.id)) {
      damage_.add("a module's identity", offset);
    } else {
      model::Module out;
      out.path = module.name != 0 ? std::string(name) : executable_;
      out.build_id = base::hexadecimal(module.build_id, module.build_id_length);
      out.id = model::module_id(out.path, out.build_id);
      module_ids_[module.id] = out.id;
      modules_.push_back(std::move(out));
    }
    offset = module.next;
  }
}

/// Lines are shared by stacks, texts by lines: only the line takes possession of its bytes.
bool StackReader::read_python(uint32_t offset, model::Frame* out) {
  if (const auto known = python_.find(offset); known != python_.end()) return *out = known->second, true;
  PythonFrame frame;
  std::string_view file, function;
  if (!bytes_.claim(offset, &frame) || !bytes_.name(frame.file, &file) || !bytes_.name(frame.function, &function))
    return false;
  constexpr size_t kLongestName = 4096;  // more than the recorder writes
  if (file.size() > kLongestName || function.size() > kLongestName) return false;
  out->file = file;
  out->function = function;
  out->line = frame.line;
  python_[offset] = *out;
  return true;
}

bool StackReader::read_frames(uint32_t offset, const Stack& stack, std::vector<model::Frame>* out) {
  std::vector<model::Frame> machine;
  for (uint32_t i = 0; i < stack.depth; ++i) {
    uint64_t word;
    if (!bytes_.load(offset + sizeof stack + i * sizeof word, &word)) return false;
    const uint64_t number = word >> kModuleShift, place = word & ((uint64_t{1} << kModuleShift) - 1);
    if (number == kPythonModule) {
      model::Frame frame;
      if (place > UINT32_MAX || !read_python(static_cast<uint32_t>(place), &frame)) return false;
      if (frame.is_python()) out->push_back(std::move(frame));
      continue;
    }
    const auto module = module_ids_.find(number);
    if (number != 0 && module == module_ids_.end()) return false;
    model::Frame& frame = machine.emplace_back();
    if (number != 0) frame.module = module->second;
    frame.offset = place;
  }
  out->insert(out->end(), machine.begin(), machine.end());
  return true;
}

void StackReader::read_stacks(uint32_t first) {
  for (uint32_t offset = first; offset != 0;) {
    Stack stack;
    if (!bytes_.load(offset, &stack) || stack.depth == 0 || stack.depth > kStackFrames + kPythonFrames ||
        !bytes_.take(offset, sizeof stack + stack.depth * sizeof(uint64_t))) {
      return damage_.add("a stack", offset);
    }
    model::Stack out;
    if (read_frames(offset, stack, &out.frames) && !out.frames.empty()) {
      out.id = model::stack_id(out.frames);
      stack_ids_[offset] = out.id;
      if ((stack.flags & Stack::kLostPython) != 0) lacking_.insert(offset);
      stacks_.push_back(std::move(out));
    } else {
      damage_.add("frames of a stack", offset);
    }
    offset = stack.next;
  }
}

}  // namespace headrace::capture
