#include "bindings/arrow_export.h"

#include <memory>
#include <utility>

#include "bindings/schema.h"

namespace headrace::bindings {
namespace {

const char* format_of(Kind kind) {
  switch (kind) {
    case Kind::kU64:
      return "L";
    case Kind::kI64:
      return "l";
    case Kind::kF64:
      return "g";
    case Kind::kText:
      return "U";
    case Kind::kBinary:
      return "Z";
    case Kind::kTextList:
      return "+L";
  }
  return "n";
}

// What a schema or array keeps alive: freed by its release callback together with its children.
struct SchemaOwner {
  std::string name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayOwner {
  Values values;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <typename Struct, typename Owner>
void release(Struct* exported) {
  auto* owner = static_cast<Owner*>(exported->private_data);
  for (Struct* child : owner->pointers) {
    if (child->release) child->release(child);  // a consumer may have moved a child away
  }
  exported->release = nullptr;
  delete owner;
}

std::string encode_metadata(const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  std::string bytes;
  const auto put = [&](uint64_t number) {
    const auto value = static_cast<int32_t>(number);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(pairs.size());
  for (const auto& [key, value] : pairs) {
    put(key.size());
    bytes.append(key);
    put(value.size());
    bytes.append(value);
  }
  return bytes;
}

std::string metadata_of(const TableInfo* table, std::string_view column) {
  const std::vector<ColumnInfo> counters = table ? std::vector<ColumnInfo>() : counter_columns();
  static constexpr ColumnInfo kMerged[] = {
      {"files", Role::u64, "count", "", "", "distinct paths"},
      {"processes", Role::u64, "count", "", "", "distinct program images"},
      {"metadata_calls", Role::u64, "count", "", "", "calls that neither read nor wrote and that succeeded"},
  };
  const auto said = [](const ColumnInfo& info) { return encode_metadata({{"unit", info.unit}, {"doc", info.doc}}); };
  for (const ColumnInfo& info : kMerged) {
    if (!table && info.name == column) return said(info);
  }
  for (const ColumnInfo& info : table ? table->columns : counters) {
    if (info.name != column) continue;
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    if (info.unit != "none") pairs.emplace_back("unit", info.unit);
    if (!info.merge.empty()) pairs.emplace_back("merge", info.merge);
    if (!info.with.empty()) pairs.emplace_back("with", info.with);
    pairs.emplace_back("doc", info.doc);
    return encode_metadata(pairs);
  }
  return {};
}

ArrowSchema make_schema(std::unique_ptr<SchemaOwner> owner, const char* format, int64_t flags) {
  for (ArrowSchema& child : owner->children) owner->pointers.push_back(&child);
  ArrowSchema schema{};
  schema.format = format;
  schema.name = owner->name.c_str();
  schema.metadata = owner->metadata.empty() ? nullptr : owner->metadata.data();
  schema.flags = flags;
  schema.n_children = static_cast<int64_t>(owner->children.size());
  schema.children = owner->pointers.data();
  schema.release = release<ArrowSchema, SchemaOwner>;
  schema.private_data = owner.release();
  return schema;
}

ArrowSchema schema_of(const Values& values, std::string metadata) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->name = values.name;
  owner->metadata = std::move(metadata);
  if (values.items) owner->children.push_back(schema_of(*values.items, {}));
  return make_schema(std::move(owner), format_of(values.kind), 0);
}

ArrowArray make_array(std::unique_ptr<ArrayOwner> owner, uint64_t rows) {
  for (ArrowArray& child : owner->children) owner->pointers.push_back(&child);
  ArrowArray array{};
  array.length = static_cast<int64_t>(rows);
  array.n_buffers = static_cast<int64_t>(owner->buffers.size());
  array.buffers = owner->buffers.data();
  array.n_children = static_cast<int64_t>(owner->children.size());
  array.children = owner->pointers.data();
  array.release = release<ArrowArray, ArrayOwner>;
  array.private_data = owner.release();
  return array;
}

ArrowArray array_of(const Values& values) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->values = values;
  owner->buffers.push_back(nullptr);  // no validity bitmap: nothing is null
  if (values.words) owner->buffers.push_back(values.words.get());
  if (values.offsets) owner->buffers.push_back(values.offsets.get());
  if (values.bytes) owner->buffers.push_back(values.bytes.get());
  if (values.items) owner->children.push_back(array_of(*values.items));
  const uint64_t rows = values.rows;
  return make_array(std::move(owner), rows);
}

}  // namespace

ArrowSchema export_schema(const Frame& frame) {
  auto owner = std::make_unique<SchemaOwner>();
  const TableInfo* table = known_table(frame.name);
  for (const Values& values : frame.columns) {
    owner->children.push_back(schema_of(values, metadata_of(table, values.name)));
  }
  if (table) owner->metadata = encode_metadata({{"table", table->name}, {"doc", table->doc}});
  return make_schema(std::move(owner), "+s", 0);
}

ArrowArray export_array(const Frame& frame) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->buffers.push_back(nullptr);
  for (const Values& values : frame.columns) owner->children.push_back(array_of(values));
  return make_array(std::move(owner), frame.rows);
}

}  // namespace headrace::bindings
