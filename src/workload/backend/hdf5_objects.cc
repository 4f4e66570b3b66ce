// HDF5 files of many objects: groups, datasets and hard links, made and opened one by one as the plan says. A file is
// of one rank at a time, and a dataset is written and read whole.
#include "workload/backend/backend.h"
#include "workload/backend/hdf5_library.h"
#include "workload/backend/hdf5_lists.h"
#include "workload/backend/open_files.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Id = Hdf5::Id;

constexpr Id kAll = 0;  // H5S_ALL

/// A file, its group that was used last, which stays open until another one is used, and its open dataset.
struct OpenObjectsFile {
  Id file = 0, group = 0, data = 0;
  std::string group_name = {};
};

class Hdf5Objects : public Backend {
 public:
  Hdf5Objects(const BackendOptions& options, Hdf5 library) : h_(std::move(library)), lists_(options, h_, nullptr) {}
  ~Hdf5Objects() override { forget_kind(); }

  /// kInvalid: what the library refuses of the options.
  Status prepare() { return lists_.prepare(); }
  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override;
  Status object(const Operation& operation, const PlannedObject& object) override;
  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    auto& [open, path] = files_[to.file];
    return check(h_.data_write(open.data, h_.types[0], kAll, kAll, Hdf5::kDefault, bytes.data()), path, "H5Dwrite");
  }
  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    auto& [open, path] = files_[from.file];
    HEADRACE_TRY(
        check(h_.data_read(open.data, h_.types[0], kAll, kAll, Hdf5::kDefault, bytes.data()), path, "H5Dread"));
    return uint64_t{bytes.size()};
  }
  Status sync(uint32_t file) override {
    auto& [open, path] = files_[file];
    return check(h_.file_flush(open.file, Hdf5::kGlobal), path, "H5Fflush");
  }
  Status close(uint32_t file) override;
  std::vector<std::string> remarks() const override { return lists_.remarks(); }

 private:
  Status check(int64_t result, const std::string& path, const char* what) const {
    if (result >= 0) return {};
    return {Code::kIo, path + ": " + what + ": " + h_.text_of_error()};
  }
  Status check(int64_t result, const std::string& path, const char* what, const PlannedObject& object) const {
    if (result >= 0) return {};
    return {Code::kIo, path + ": " + what + " " + object.group + "/" + object.name + ": " + h_.text_of_error()};
  }
  Status enter(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const;
  void leave(OpenObjectsFile& open) const;
  Status make_group(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const;
  Status make_data(OpenObjectsFile& open, const std::string& path, const PlannedObject& object);
  Status open_data(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const;
  Status close_data(OpenObjectsFile& open, const std::string& path) const;
  Status prepare_kind(const PlannedObject& object, const std::string& path);
  void forget_kind();

  const Hdf5 h_;
  Hdf5Lists lists_;
  OpenFiles<OpenObjectsFile> files_;
  struct {  // of the dataset that was made last; most are like it
    uint64_t bytes = 0, chunk = 0;
    Id space = 0, list = 0;
  } kind_;
};

Status Hdf5Objects::open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) {
  OpenObjectsFile open;
  HEADRACE_ASSIGN(const Id list, lists_.access(planned));
  const bool create = access == Access::kCreate;
  open.file = create ? h_.file_create(path.c_str(), Hdf5::kTruncate, lists_.creation(), list)
                     : h_.file_open(path.c_str(), access == Access::kWrite ? Hdf5::kReadWrite : Hdf5::kReadOnly, list);
  HEADRACE_TRY(check(open.file, path, create ? "H5Fcreate" : "H5Fopen"));
  files_.add(file, std::move(open), path);
  return {};
}

Status Hdf5Objects::object(const Operation& operation, const PlannedObject& object) {
  auto& [open, path] = files_[operation.file];
  if (operation.verb == Verb::kCloseDataset) return close_data(open, path);
  if (operation.verb == Verb::kMakeGroup) return make_group(open, path, object);
  HEADRACE_TRY(enter(open, path, object));
  if (operation.verb == Verb::kMakeDataset) return make_data(open, path, object);
  if (operation.verb == Verb::kOpenDataset) return open_data(open, path, object);
  const Id place = open.group != 0 ? open.group : open.file;
  return check(h_.link_hard(place, object.target.c_str(), place, object.name.c_str(), Hdf5::kDefault, Hdf5::kDefault),
               path, "H5Lcreate_hard", object);
}

void Hdf5Objects::leave(OpenObjectsFile& open) const {
  if (open.group != 0) h_.group_close(open.group);
  open.group = 0;
  open.group_name.clear();
}

/// Lets the object's group be the open one.
Status Hdf5Objects::enter(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const {
  if (open.group_name == object.group) return {};
  leave(open);
  if (object.group.empty()) return {};
  HEADRACE_TRY(
      check(open.group = h_.group_open(open.file, object.group.c_str(), Hdf5::kDefault), path, "H5Gopen", object));
  open.group_name = object.group;
  return {};
}

Status Hdf5Objects::make_group(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const {
  leave(open);
  open.group = h_.group_create(open.file, object.name.c_str(), Hdf5::kDefault, Hdf5::kDefault, Hdf5::kDefault);
  HEADRACE_TRY(check(open.group, path, "H5Gcreate", object));
  open.group_name = object.name;
  return {};
}

void Hdf5Objects::forget_kind() {
  if (kind_.space > 0) h_.space_close(kind_.space);
  if (kind_.list > 0) h_.list_close(kind_.list);
  kind_ = {};
}

Status Hdf5Objects::prepare_kind(const PlannedObject& object, const std::string& path) {
  if (kind_.space > 0 && kind_.bytes == object.bytes && kind_.chunk == object.chunk) return {};
  forget_kind();
  const unsigned long long bytes = object.bytes, chunk = object.chunk;
  HEADRACE_TRY(check(kind_.space = h_.space_create(1, &bytes, nullptr), path, "H5Screate_simple"));
  HEADRACE_TRY(check(kind_.list = h_.list_create(h_.of_dataset), path, "H5Pcreate"));
  if (chunk > 0) HEADRACE_TRY(check(h_.set_chunk(kind_.list, 1, &chunk), path, "H5Pset_chunk"));
  kind_.bytes = object.bytes;
  kind_.chunk = object.chunk;
  return {};
}

Status Hdf5Objects::make_data(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) {
  HEADRACE_TRY(prepare_kind(object, path));
  open.data = h_.data_create(open.group != 0 ? open.group : open.file, object.name.c_str(), h_.types[0], kind_.space,
                             Hdf5::kDefault, kind_.list, Hdf5::kDefault);
  return check(open.data, path, "H5Dcreate", object);
}

/// A file of an earlier run may have been made with other sizes, and is then not read into memory of these.
Status Hdf5Objects::open_data(OpenObjectsFile& open, const std::string& path, const PlannedObject& object) const {
  open.data = h_.data_open(open.group != 0 ? open.group : open.file, object.name.c_str(), Hdf5::kDefault);
  HEADRACE_TRY(check(open.data, path, "H5Dopen", object));
  const Id space = h_.data_space(open.data);
  HEADRACE_TRY(check(space, path, "H5Dget_space", object));
  const int64_t elements = h_.space_points(space);
  h_.space_close(space);
  if (elements == static_cast<int64_t>(object.bytes)) return {};
  h_.data_close(open.data);
  open.data = 0;
  return {Code::kIo, path + ": " + object.group + "/" + object.name + " has " + std::to_string(elements) +
                         " elements, and not " + std::to_string(object.bytes) + ": it was made with other sizes"};
}

Status Hdf5Objects::close_data(OpenObjectsFile& open, const std::string& path) const {
  const Id data = open.data;
  open.data = 0;
  return check(h_.data_close(data), path, "H5Dclose");
}

Status Hdf5Objects::close(uint32_t file) {
  auto [open, path] = std::move(files_[file]);
  files_.remove(file);
  leave(open);
  return check(h_.file_close(open.file), path, "H5Fclose");
}

}  // namespace

Result<std::unique_ptr<Backend>> make_hdf5_objects(const BackendOptions& options) {
  HEADRACE_ASSIGN(Hdf5 library, load_hdf5(options.hdf5.library, nullptr));
  auto made = std::make_unique<Hdf5Objects>(options, std::move(library));
  HEADRACE_TRY(made->prepare());
  return std::unique_ptr<Backend>(std::move(made));
}

}  // namespace headrace::workload
