#include "capture/harvest/lustre_layout.h"

#include <algorithm>
#include <string>

namespace headrace::capture {
namespace {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Status;

constexpr uint32_t kPlain = 0x0BD10BD0, kWithPool = 0x0BD30BD0, kChosenTargets = 0x0BD50BD0, kComposite = 0x0BD60BD0,
                   kForeign = 0x0BD70BD0, kSelfExtending = 0x0BD80BD0;
constexpr uint32_t kParity = 0x004, kOnMetadataServer = 0x100, kOverstriped = 0x200, kForeignPattern = 0x400,
                   kCompressed = 0x800, kReleased = 0x80000000;                                // bits of a pattern
constexpr uint32_t kStale = 0x1, kInstantiated = 0x10, kExtension = 0x40, kParityPart = 0x80;  // flags of a component
constexpr size_t kHead = 32, kPool = 16, kObject = 24, kEntry = 48;
constexpr uint64_t kExtensionUnit = 1024;  // of an extension component, the size to grow by is in KiB

struct Component {
  uint32_t id = 0, flags = kInstantiated, pattern = 0;
  uint64_t start = 0, end = UINT64_MAX, stripe_size = 0;
  uint16_t stripe_count = 0;
  bool foreign = false;
  std::string pool;
  std::vector<uint32_t> osts;
};

/// Numbers in the byte order in which the magic number reads right.
class Words {
 public:
  Words(Bytes bytes, bool swap) : in_(bytes), swap_(swap) {}
  uint16_t u16() { return swap_ ? __builtin_bswap16(in_.u16()) : in_.u16(); }
  uint32_t u32() { return swap_ ? __builtin_bswap32(in_.u32()) : in_.u32(); }
  uint64_t u64() { return swap_ ? __builtin_bswap64(in_.u64()) : in_.u64(); }
  Bytes take(uint64_t count) { return in_.take(count); }
  bool ok() const { return in_.ok(); }
  size_t left() const { return in_.left(); }

 private:
  ByteReader in_;
  bool swap_;
};

bool knows(uint32_t magic) {
  for (const uint32_t each : {kPlain, kWithPool, kChosenTargets, kComposite, kForeign, kSelfExtending}) {
    if (magic == each) return true;
  }
  return false;
}

Status cut() { return {Code::kTruncated, "the layout ends too early"}; }

/// The text up to the first NUL byte; the name of a pool may fill its place.
std::string pool_name(Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  return std::string(text.substr(0, text.find('\0')));
}

/// `lov_user_md_v1`, or `…_v3` with a pool, then its objects: one a stripe, if it has any yet.
Status read_stripes(Bytes bytes, bool swap, Component* component) {
  Words in(bytes, swap);
  const uint32_t magic = in.u32();
  if (magic == kForeign) {
    component->foreign = true;
    return in.take(kHead / 2 - sizeof magic).empty() ? cut() : Status();
  }
  if (magic != kPlain && magic != kWithPool && magic != kChosenTargets) {
    return {Code::kUnsupported, "the layout is of an unknown kind"};
  }
  component->pattern = in.u32();
  in.take(16);  // the file's own id
  component->stripe_size = in.u32();
  component->stripe_count = in.u16();
  in.u16();  // generation
  if (magic != kPlain) component->pool = pool_name(in.take(kPool));
  if (!in.ok()) return cut();
  if ((component->flags & kExtension) != 0) component->stripe_size *= kExtensionUnit;
  const bool has_objects = (component->flags & kInstantiated) != 0 && (component->pattern & kReleased) == 0 &&
                           (component->pattern & kOnMetadataServer) == 0;
  if (!has_objects) return {};
  // The default layout of a directory may ask for all servers and has no objects; so does no file.
  if (uint64_t{component->stripe_count} * kObject > in.left()) return cut();
  for (uint32_t i = 0; i < component->stripe_count; ++i) {
    in.take(kObject - sizeof(uint32_t));
    component->osts.push_back(in.u32());
  }
  return {};
}

/// `lov_comp_md_v1`: entries of equal size, which say where the layouts of their parts are.
Status read_components(Bytes value, bool swap, std::vector<Component>* components) {
  Words in(value, swap);
  in.u32();  // magic
  const uint32_t size = in.u32();
  in.u32();  // generation
  in.u16();  // state of the mirrors
  const uint16_t count = in.u16();
  in.take(16);
  if (!in.ok() || size > value.size() || uint64_t{count} * kEntry > in.left()) return cut();
  uint64_t used = kHead + uint64_t{count} * kEntry;
  for (uint32_t i = 0; i < count; ++i) {
    Component component;
    component.id = in.u32();
    component.flags = in.u32();
    component.start = in.u64();
    component.end = in.u64();
    const uint64_t offset = in.u32(), length = in.u32();
    in.take(kEntry - 32);
    used += length;  // parts that share bytes could be made to say far more than they hold
    if (offset > size || length > size - offset || used > size) {
      return {Code::kCorrupt, "the parts of the layout do not fit into it"};
    }
    if (component.end < component.start) return {Code::kCorrupt, "a part of the layout ends before it begins"};
    HEADRACE_TRY(read_stripes(value.subspan(offset, length), swap, &component));
    components->push_back(std::move(component));
  }
  return {};
}

std::string pattern_name(const Component& component) {
  if (component.foreign || (component.pattern & kForeignPattern) != 0) return "foreign";
  if ((component.pattern & kReleased) != 0) return "released";
  if ((component.flags & kExtension) != 0) return "extension";
  if ((component.flags & kInstantiated) == 0) return "unused";
  if ((component.pattern & kOnMetadataServer) != 0) return "mdt";
  if ((component.pattern & kParity) != 0 || (component.flags & kParityPart) != 0) return "parity";
  if ((component.flags & kStale) != 0) return "stale";
  if ((component.pattern & kOverstriped) != 0) return "overstriped";
  return (component.pattern & kCompressed) != 0 ? "compressed" : "";
}

std::string list_of(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

void put(const Component& component, const std::string& prefix, std::vector<model::Property>* out) {
  if (!component.foreign) {
    out->push_back({prefix + "stripe_size", std::to_string(component.stripe_size)});
    const bool all = component.stripe_count == UINT16_MAX;  // as many servers as there are
    out->push_back({prefix + "stripe_count", all ? "-1" : std::to_string(component.stripe_count)});
    if (!component.pool.empty()) out->push_back({prefix + "pool", component.pool});
  }
  if (const std::string pattern = pattern_name(component); !pattern.empty()) {
    out->push_back({prefix + "pattern", pattern});
  }
}

/// The mirror that a component belongs to is in the upper half of its id.
uint32_t mirror_of(const Component& component) { return component.id >> 16 & 0x7fff; }

std::vector<model::Property> properties_of(const std::vector<Component>& components, bool composite) {
  std::vector<model::Property> out;
  std::vector<uint32_t> osts;
  const bool mirrored = std::any_of(components.begin(), components.end(),
                                    [&](const Component& each) { return mirror_of(each) != mirror_of(components[0]); });
  for (size_t i = 0; i < components.size(); ++i) {
    const Component& each = components[i];
    const std::string prefix = composite ? "lustre.component" + std::to_string(i + 1) + "." : "lustre.";
    put(each, prefix, &out);
    osts.insert(osts.end(), each.osts.begin(), each.osts.end());
    if (!composite) continue;
    out.push_back({prefix + "extent_start", std::to_string(each.start)});
    out.push_back({prefix + "extent_end", each.end == UINT64_MAX ? "eof" : std::to_string(each.end)});
    if (mirrored) out.push_back({prefix + "mirror", std::to_string(mirror_of(each))});
    if (!each.osts.empty()) out.push_back({prefix + "osts", list_of(each.osts)});
  }
  std::vector<uint32_t> once;
  for (const uint32_t ost : osts) {
    if (std::find(once.begin(), once.end(), ost) == once.end()) once.push_back(ost);
  }
  if (!once.empty()) out.push_back({"lustre.osts", list_of(once)});
  return out;
}

}  // namespace

base::Result<std::vector<model::Property>> lustre_properties(Bytes value) {
  if (value.size() < sizeof(uint32_t)) return cut();
  const auto as_written = base::load<uint32_t>(value.data());
  const bool swap = !knows(as_written) && knows(__builtin_bswap32(as_written));
  const uint32_t magic = swap ? __builtin_bswap32(as_written) : as_written;
  if (!knows(magic)) return Status(Code::kUnsupported, "the layout is of an unknown kind");
  const bool composite = magic == kComposite || magic == kSelfExtending;
  std::vector<Component> components(composite ? 0 : 1);
  HEADRACE_TRY(composite ? read_components(value, swap, &components) : read_stripes(value, swap, &components[0]));
  return properties_of(components, composite);
}

}  // namespace headrace::capture
