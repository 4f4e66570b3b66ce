#include "capture/recorder/frame_rules.h"

#include <string.h>

#include "capture/recorder/readable.h"

namespace headrace::capture {
namespace {

#if defined(__x86_64__)
enum Register : uint64_t { kFramePointer = 6, kStackPointer = 7, kReturn = 16 };
#elif defined(__aarch64__)
enum Register : uint64_t { kFramePointer = 29, kStackPointer = 31, kReturn = 30 };
#endif

constexpr uint8_t kPcRelative = 0x10, kDataRelative = 0x30;

/// Reads forwards inside an object; once something was not there, everything after it is 0 and `ok` false.
class Cursor {
 public:
  Cursor(Readable& memory, uintptr_t at, uintptr_t end) : memory_(memory), at_(at), end_(end) {}
  bool ok() const { return ok_; }
  bool more() const { return ok_ && at_ < end_; }
  uintptr_t at() const { return at_; }
  void end_at(uintptr_t end) { end < end_ ? void(end_ = end) : void(); }
  void skip(uint64_t bytes) { take(bytes); }

  template <typename T>
  T get() {
    T value{};
    if (const uintptr_t from = take(sizeof(T))) memcpy(&value, reinterpret_cast<const void*>(from), sizeof value);
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0; ok_; shift += 7) {
      const auto byte = get<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0; ok_;) {
      const auto byte = get<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(value);
  }
  /// A pointer in one of the encodings that occur; others make the cursor fail.
  uintptr_t pointer(uint8_t encoding) {
    const uintptr_t here = at_;
    uintptr_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = get<uint64_t>();
        break;
      case 0x03:
        value = get<uint32_t>();
        break;
      case 0x0b:
        value = static_cast<uintptr_t>(int64_t{get<int32_t>()});
        break;
      default:
        ok_ = false;
    }
    if ((encoding & 0x70) == kPcRelative)
      value += here;
    else if ((encoding & 0xf0) != 0)
      ok_ = false;
    return value;
  }

 private:
  uintptr_t take(uint64_t bytes) {
    ok_ = ok_ && bytes <= end_ - at_ && memory_.covers(at_, bytes);
    if (!ok_) return 0;
    const uintptr_t from = at_;
    at_ += bytes;
    return from;
  }
  Readable& memory_;
  uintptr_t at_, end_;
  bool ok_ = true;
};

/// What a rule is while its instructions are carried out.
struct RuleState {
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  bool cfa_known = false, cfa_is_word = false;  // a word: the CFA is what lies at register + offset
  struct Saved {
    enum Kind : uint8_t { kSame, kAtCfa, kAtFrame, kUndefined, kElsewhere } kind = kSame;
    int64_t offset = 0;
  } frame, caller;
};

struct Common {
  uint64_t code_factor = 1, return_register = 0;
  int64_t data_factor = 1;
  uint8_t encoding = 0;
  bool signal = false, augmented = false;
  uintptr_t instructions = 0, end = 0;
};

/// Length, and where the entry ends; 0 for the end of the section.
uintptr_t entry_end(Cursor& in) {
  uint64_t length = in.get<uint32_t>();
  if (length == 0xffffffff) length = in.get<uint64_t>();
  const uintptr_t end = in.at() + length;
  return in.ok() && length != 0 && end > in.at() ? end : 0;
}

bool read_common(Cursor in, Common* out) {
  out->end = entry_end(in);
  if (!out->end) return false;
  in.end_at(out->end);
  if (in.get<uint32_t>() != 0) return false;
  const auto version = in.get<uint8_t>();
  char augmentation[8] = {};
  for (uint32_t i = 0; i < sizeof augmentation; ++i)
    if ((augmentation[i] = in.get<char>()) == 0) break;
  if (augmentation[7] != 0 || (version != 1 && version != 3)) return false;
  out->code_factor = in.uleb();
  out->data_factor = in.sleb();
  out->return_register = version == 1 ? in.get<uint8_t>() : in.uleb();
  if (augmentation[0] == 'z') {
    out->augmented = true;
    const uint64_t length = in.uleb();
    out->instructions = in.at() + length;
    for (const char* letter = augmentation + 1; *letter; ++letter) {
      if (*letter == 'R') {
        out->encoding = in.get<uint8_t>();
      } else if (*letter == 'L') {
        in.skip(1);
      } else if (*letter == 'P') {
        const auto encoding = in.get<uint8_t>();
        in.skip((encoding & 0x0f) == 0x03 || (encoding & 0x0f) == 0x0b ? 4 : 8);
      } else if (*letter == 'S') {
        out->signal = true;
      } else if (*letter != 'B') {
        return false;
      }
    }
  } else if (augmentation[0] != 0) {
    return false;
  } else {
    out->instructions = in.at();
  }
  return in.ok() && out->instructions <= out->end;
}

/// The one kind of expression that compilers use for frames: register + offset, and the word there. False: another.
bool simple_expression(Cursor in, uint64_t* reg, int64_t* offset, bool* is_word) {
  const auto first = in.get<uint8_t>();
  constexpr uint8_t kBreg0 = 0x70, kBregx = 0x92, kDeref = 0x06;
  if (first >= kBreg0 && first < kBreg0 + 32)
    *reg = first - kBreg0;
  else if (first == kBregx)
    *reg = in.uleb();
  else
    return false;
  *offset = in.sleb();
  *is_word = in.more() && in.get<uint8_t>() == kDeref;
  return in.ok() && !in.more();
}

/// Carries out call frame instructions until `target` is passed.
class Machine {
 public:
  Machine(const Common& common, uintptr_t location, uintptr_t target)
      : common_(common), location_(location), target_(target) {}

  RuleState state, initial;

  bool run(Cursor in) {
    while (in.more() && !passed_) {
      const auto code = in.get<uint8_t>();
      const uint64_t low = code & 0x3f;
      switch (code & 0xc0) {
        case 0x40:
          advance(low);
          continue;
        case 0x80:
          save(low, static_cast<int64_t>(in.uleb()) * common_.data_factor);
          continue;
        case 0xc0:
          restore(low);
          continue;
      }
      if (!extended(code, in)) return false;
    }
    return in.ok();
  }

 private:
  static constexpr uint32_t kRemembered = 4;

  void advance(uint64_t steps) {
    const uintptr_t next = location_ + steps * common_.code_factor;
    if (next > target_)
      passed_ = true;
    else
      location_ = next;
  }
  RuleState::Saved* saved(uint64_t reg) {
    if (reg == kFramePointer) return &state.frame;
    return reg == common_.return_register ? &state.caller : nullptr;
  }
  void set(uint64_t reg, RuleState::Saved value) {
    if (RuleState::Saved* place = saved(reg)) *place = value;
  }
  void save(uint64_t reg, int64_t offset) { set(reg, {RuleState::Saved::kAtCfa, offset}); }
  void restore(uint64_t reg) {
    if (reg == kFramePointer) state.frame = initial.frame;
    if (reg == common_.return_register) state.caller = initial.caller;
  }
  void set_cfa(uint64_t reg, int64_t offset) {
    state.cfa_register = reg;
    state.cfa_offset = offset;
    state.cfa_known = true;
    state.cfa_is_word = false;
  }
  void expression(uint64_t reg, Cursor in) {
    RuleState::Saved* place = saved(reg);
    if (!place) return;
    uint64_t base;
    bool is_word;
    *place = {RuleState::Saved::kElsewhere, 0};
    if (simple_expression(in, &base, &place->offset, &is_word) && !is_word && base == kFramePointer)
      place->kind = RuleState::Saved::kAtFrame;
  }

  bool extended(uint8_t code, Cursor& in) {
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x01: {  // set_loc
        const uintptr_t next = in.pointer(common_.encoding);
        next > target_ ? void(passed_ = true) : void(location_ = next);
        return true;
      }
      case 0x02:
        return advance(in.get<uint8_t>()), true;
      case 0x03:
        return advance(in.get<uint16_t>()), true;
      case 0x04:
        return advance(in.get<uint32_t>()), true;
      case 0x05: {  // offset_extended
        const uint64_t reg = in.uleb();
        return save(reg, static_cast<int64_t>(in.uleb()) * common_.data_factor), true;
      }
      case 0x06:
        return restore(in.uleb()), true;
      case 0x07:
        return set(in.uleb(), {RuleState::Saved::kUndefined, 0}), true;
      case 0x08:
        return set(in.uleb(), {RuleState::Saved::kSame, 0}), true;
      case 0x09: {  // register: kept in another register, which is not followed
        const uint64_t reg = in.uleb();
        in.uleb();
        return set(reg, {RuleState::Saved::kElsewhere, 0}), true;
      }
      case 0x0a:  // remember_state
        if (depth_ == kRemembered) return false;
        remembered_[depth_++] = state;
        return true;
      case 0x0b:
        if (depth_ == 0) return false;
        state = remembered_[--depth_];
        return true;
      case 0x0c: {  // def_cfa
        const uint64_t reg = in.uleb();
        return set_cfa(reg, static_cast<int64_t>(in.uleb())), true;
      }
      case 0x0d:
        state.cfa_register = in.uleb();
        return true;
      case 0x0e:
        state.cfa_offset = static_cast<int64_t>(in.uleb());
        return true;
      case 0x0f: {  // def_cfa_expression
        Cursor body = block(in);
        set_cfa(0, 0);
        state.cfa_known = simple_expression(body, &state.cfa_register, &state.cfa_offset, &state.cfa_is_word);
        return true;
      }
      case 0x10: {  // expression
        const uint64_t reg = in.uleb();
        return expression(reg, block(in)), true;
      }
      case 0x11: {  // offset_extended_sf
        const uint64_t reg = in.uleb();
        return save(reg, in.sleb() * common_.data_factor), true;
      }
      case 0x12: {  // def_cfa_sf
        const uint64_t reg = in.uleb();
        return set_cfa(reg, in.sleb() * common_.data_factor), true;
      }
      case 0x13:
        state.cfa_offset = in.sleb() * common_.data_factor;
        return true;
      case 0x14:
      case 0x15: {  // val_offset, val_offset_sf
        const uint64_t reg = in.uleb();
        in.uleb();
        return set(reg, {RuleState::Saved::kElsewhere, 0}), true;
      }
      case 0x16: {  // val_expression
        const uint64_t reg = in.uleb();
        block(in);
        return set(reg, {RuleState::Saved::kElsewhere, 0}), true;
      }
      case 0x2d:  // the return address is signed or no more (aarch64): its signature is removed in any case
        return true;
      case 0x2e:  // GNU_args_size
        return in.uleb(), true;
      default:
        return false;
    }
  }
  static Cursor block(Cursor& in) {
    const uint64_t length = in.uleb();
    Cursor body = in;
    body.end_at(in.at() + length);
    in.skip(length);
    return body;
  }

  const Common& common_;
  uintptr_t location_, target_;
  bool passed_ = false;
  uint32_t depth_ = 0;
  RuleState remembered_[kRemembered];
};

/// The entry for `pc` by the sorted table behind .eh_frame_hdr; 0 when there is none.
uintptr_t find_entry(const LoadedObject& object, Readable& memory, uintptr_t pc) {
  const auto header = reinterpret_cast<uintptr_t>(object.unwind);
  Cursor in(memory, header, object.end);
  const auto version = in.get<uint8_t>(), frame = in.get<uint8_t>(), count_form = in.get<uint8_t>(),
             table_form = in.get<uint8_t>();
  if (version != 1 || count_form != 0x03 || table_form != (kDataRelative | 0x0b)) return 0;
  in.pointer(frame);
  const uint64_t count = in.get<uint32_t>();
  struct Row {
    int32_t location, entry;  // relative to the header
  };
  const uintptr_t table = in.at();
  if (!in.ok() || count > (object.end - table) / sizeof(Row)) return 0;
  const auto relative = static_cast<int64_t>(pc - header);
  uint64_t low = 0, high = count;
  Row row{0, 0};
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    Row candidate;
    if (!memory.covers(table + middle * sizeof(Row), sizeof(Row))) return 0;
    memcpy(&candidate, reinterpret_cast<const void*>(table + middle * sizeof(Row)), sizeof candidate);
    if (candidate.location <= relative) {
      row = candidate;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const uintptr_t entry = header + static_cast<uintptr_t>(int64_t{row.entry});
  return low > 0 && entry >= object.start && entry < object.end ? entry : 0;
}

bool fits(int64_t offset) { return offset >= INT32_MIN && offset <= INT32_MAX; }

FrameRule as_rule(const RuleState& state, bool signal) {
  FrameRule rule;
  rule.signal = signal;
  rule.outermost = state.caller.kind == RuleState::Saved::kUndefined;
  if (!state.cfa_known || !fits(state.cfa_offset) || !fits(state.frame.offset) || !fits(state.caller.offset))
    return rule;
  rule.cfa_offset = static_cast<int32_t>(state.cfa_offset);
  if (state.frame.kind == RuleState::Saved::kAtCfa) rule.frame_pointer = FrameRule::kSaved;
  if (state.frame.kind == RuleState::Saved::kAtFrame) rule.frame_pointer = FrameRule::kSavedAtFrame;
  rule.frame_pointer_offset = static_cast<int32_t>(state.frame.offset);
  rule.return_offset = static_cast<int32_t>(state.caller.offset);
  if (state.caller.kind != RuleState::Saved::kAtCfa && !rule.outermost) return rule;
  if (state.cfa_register == kStackPointer) rule.cfa = state.cfa_is_word ? FrameRule::kAtStack : FrameRule::kFromStack;
  if (state.cfa_register == kFramePointer) rule.cfa = state.cfa_is_word ? FrameRule::kAtFrame : FrameRule::kFromFrame;
  return rule;
}

}  // namespace

FrameRule frame_rule(const LoadedObject& object, uintptr_t pc) {
  if (!object.unwind) return {};
  const bool stays = is_permanent(object);
  Readable table_memory = stays ? Readable::lasting() : Readable(), memory = table_memory;
  const uintptr_t entry = find_entry(object, table_memory, pc);
  if (!entry) return {};
  Cursor in(memory, entry, object.end);
  const uintptr_t end = entry_end(in);
  if (!end) return {};
  in.end_at(end);
  const uintptr_t back = in.at();
  Common common;
  if (!read_common(Cursor(memory, back - in.get<uint32_t>(), object.end), &common)) return {};
  const uintptr_t begin = in.pointer(common.encoding), length = in.pointer(common.encoding & 0x0f);
  if (common.augmented) in.skip(in.uleb());
  if (!in.ok() || pc < begin || pc - begin >= length) return {};
  Machine machine(common, begin, pc);
  Cursor prologue(memory, common.instructions, object.end);
  prologue.end_at(common.end);
  if (!machine.run(prologue)) return {};
  machine.initial = machine.state;
  if (!machine.run(in)) return {};
  return as_rule(machine.state, common.signal);
}

}  // namespace headrace::capture
