// What every back end has to do alike, and what keeps the one for real files below its roots.
#include "forward/backend/backend.h"

#include <dirent.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "forward/backend/memory.h"
#include "forward/backend/posix.h"
#include "forward/backend/trial.h"

namespace headrace::forward {
namespace {

namespace fs = std::filesystem;

class BackendTest : public testing::TestWithParam<std::string> {
 protected:
  BackendTest() : directory_(fs::path(testing::TempDir()) / ("backend" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "root");
    if (GetParam() == "memory")
      backend_ = std::make_unique<MemoryBackend>("/root", 64 << 20);
    else
      backend_ = std::move(*PosixBackend::make({(directory_ / "root").string()}, {16, GetParam() == "openat2"}));
  }
  ~BackendTest() override { fs::remove_all(directory_); }

  Place at(std::string_view path) { return {root_, path}; }
  File create(std::string_view path, uint32_t flags = 0) {
    const auto found = backend_->create(at(path), {flags, 0644, {}});
    EXPECT_TRUE(found.ok()) << path << ": " << found.error();
    return found.ok() ? found->file : File();
  }
  int write(const File& file, uint64_t offset, std::string_view text) {
    const auto opened = backend_->open(file, true);
    if (!opened.ok()) return opened.error();
    return (*opened)->write({offset, text.size()}, reinterpret_cast<const uint8_t*>(text.data())).error;
  }
  std::string read(const File& file, uint64_t offset, size_t bytes) {
    std::string text(bytes, '?');
    const auto opened = backend_->open(file, false);
    if (!opened.ok()) return "error " + std::to_string(opened.error());
    const auto got = (*opened)->read({offset, bytes}, reinterpret_cast<uint8_t*>(text.data()));
    return text.substr(0, got.ok() ? *got : 0);
  }
  int lookup_error(std::string_view path, bool follow = true) { return backend_->lookup(at(path), follow).error(); }

  fs::path directory_;
  const File root_ = root_file(0);
  std::unique_ptr<Backend> backend_;
};

TEST_P(BackendTest, KeepsBytesAndHoles) {
  const File file = create("f");
  EXPECT_EQ(write(file, 100'000, "tail"), 0);
  EXPECT_EQ(write(file, 0, "head"), 0);
  EXPECT_EQ(read(file, 0, 6), std::string("head\0\0", 6));
  EXPECT_EQ(read(file, 99'998, 100), std::string("\0\0tail", 6));
  EXPECT_EQ(read(file, 200'000, 10), "");
  EXPECT_EQ(backend_->attributes(file)->size, 100'004u);
  EXPECT_EQ((*backend_->open(file, true))->resize(2), 0);
  EXPECT_EQ((*backend_->open(file, true))->resize(5), 0);
  EXPECT_EQ(read(file, 0, 10), std::string("he\0\0\0", 5));
  EXPECT_EQ((*backend_->open(file, true))->commit(), 0);
}

TEST_P(BackendTest, ExtendsAndNeverCuts) {
  const File file = create("f");
  EXPECT_EQ(write(file, 0, "text"), 0);
  const auto opened = backend_->open(file, true);
  for (const uint64_t size : {0, 2, 4}) EXPECT_EQ((*opened)->extend(size), 0);
  EXPECT_EQ(read(file, 0, 9), "text");
  EXPECT_EQ((*opened)->extend(6), 0);
  EXPECT_EQ(read(file, 0, 9), std::string("text\0\0", 6));
  EXPECT_EQ((*opened)->extend(100'000), 0);
  EXPECT_EQ(backend_->attributes(file)->size, 100'000u);
}

TEST_P(BackendTest, CreatesAsOpenDoes) {
  const File file = create("f");
  EXPECT_EQ(write(file, 0, "text"), 0);
  EXPECT_EQ(backend_->create(at("f"), {kExclusive, 0644, {}}).error(), EEXIST);
  EXPECT_EQ(create("f").inode, file.inode);
  EXPECT_EQ(read(file, 0, 9), "text");
  create("f", kTruncate);
  EXPECT_EQ(read(file, 0, 9), "");
  EXPECT_EQ(backend_->create(at("none/f"), {}).error(), ENOENT);
  EXPECT_EQ(backend_->create(at("f/g"), {}).error(), ENOTDIR);
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  EXPECT_EQ(backend_->create(at("d"), {}).error(), EISDIR);
  EXPECT_EQ(backend_->open(backend_->lookup(at("d"), true)->file, true).error(), EISDIR);
}

TEST_P(BackendTest, MakesPipesAndSocketsButNoDevices) {
  for (const auto& [name, type] : {std::pair<std::string, uint32_t>{"pipe", S_IFIFO}, {"socket", S_IFSOCK}}) {
    const auto made = backend_->create(at(name), {0, type | 0640, {}});
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->attributes.mode & ~uint32_t{0777}, type);
    EXPECT_EQ(backend_->lookup(at(name), true)->file.identity(), made->file.identity());
    EXPECT_EQ(backend_->create(at(name), {0, type | 0640, {}}).error(), EEXIST);
    EXPECT_TRUE(backend_->create(at(name), {kTruncate, 0640, {}}).ok() || type == S_IFSOCK);
    EXPECT_EQ(backend_->open(made->file, true).error(), EINVAL);
    EXPECT_EQ(backend_->remove(at(name), false), 0);
  }
  EXPECT_EQ(backend_->create(at("device"), {0, S_IFCHR | 0640, {}}).error(), EPERM);
  EXPECT_EQ(backend_->create(at("device"), {0, S_IFDIR | 0640, {}}).error(), EPERM);
}

TEST_P(BackendTest, RemovesAndRenames) {
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  EXPECT_EQ(backend_->mkdir(at("d"), 0755).error(), EEXIST);
  const File file = create("d/f");
  EXPECT_EQ(write(file, 0, "one"), 0);
  EXPECT_EQ(backend_->remove(at("d"), true), ENOTEMPTY);
  EXPECT_EQ(backend_->remove(at("d"), false), EISDIR);
  EXPECT_EQ(backend_->remove(at("d/f"), true), ENOTDIR);
  EXPECT_EQ(write(create("g"), 0, "two"), 0);
  EXPECT_EQ(backend_->rename(at("d/f"), at("g"), false), EEXIST);
  EXPECT_EQ(backend_->rename(at("d/f"), at("g"), true), 0);
  EXPECT_EQ(read(backend_->lookup(at("g"), true)->file, 0, 9), "one");
  EXPECT_EQ(lookup_error("d/f"), ENOENT);
  EXPECT_EQ(backend_->rename(at("d"), at("d/e"), true), EINVAL);
  EXPECT_EQ(backend_->remove(at("d"), true), 0);
  EXPECT_EQ(backend_->remove(at("g"), false), 0);
  EXPECT_EQ(backend_->remove(at("g"), false), ENOENT);
}

TEST_P(BackendTest, AHandleIsOfItsFileAndNotOfItsName) {
  const File file = create("f");
  EXPECT_EQ(backend_->rename(at("f"), at("old"), true), 0);
  const File other = create("f");
  EXPECT_NE(file.identity(), other.identity());
  EXPECT_EQ(write(other, 0, "other"), 0);
  EXPECT_NE(read(file, 0, 9), "other");
  const File directory = backend_->mkdir(at("d"), 0755)->file;
  EXPECT_EQ(backend_->rename(at("d"), at("e"), true), 0);
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  const auto inside = backend_->create({directory, "x"}, {});
  if (inside.ok()) {
    EXPECT_EQ(lookup_error("e/x"), 0);
  } else {
    EXPECT_EQ(inside.error(), ESTALE);
  }
  EXPECT_EQ(lookup_error("d/x"), ENOENT);
}

TEST_P(BackendTest, LinksLead) {
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  const File file = create("d/f");
  EXPECT_EQ(write(file, 0, "text"), 0);
  EXPECT_EQ(backend_->link(file, at("hard")), 0);
  EXPECT_EQ(backend_->attributes(file)->links, 2u);
  EXPECT_EQ(backend_->lookup(at("hard"), true)->file.inode, file.inode);
  const auto soft = backend_->symlink(at("soft"), "d/f");
  ASSERT_TRUE(soft.ok());
  EXPECT_EQ(*backend_->readlink(soft->file), "d/f");
  EXPECT_EQ(backend_->readlink(file).error(), EINVAL);
  EXPECT_EQ(backend_->lookup(at("soft"), true)->file.inode, file.inode);
  EXPECT_EQ(read(backend_->lookup(at("soft"), true)->file, 0, 9), "text");
  EXPECT_TRUE(S_ISLNK(backend_->lookup(at("soft"), false)->attributes.mode));
  EXPECT_TRUE(backend_->symlink(at("d/up"), "../soft").ok());
  EXPECT_EQ(backend_->lookup(at("d/up"), true)->file.inode, file.inode);
  EXPECT_TRUE(backend_->symlink(at("loop"), "loop").ok());
  EXPECT_EQ(lookup_error("loop"), ELOOP);
  // An absolute link leads wherever the same link led outside of forwarding.
  EXPECT_TRUE(backend_->symlink(at("absolute"), backend_->roots()[0] + "/d/f").ok());
  EXPECT_EQ(backend_->lookup(at("absolute"), true)->file.inode, file.inode);
}

TEST_P(BackendTest, NothingLeadsOut) {
  std::ofstream(directory_ / "secret") << "outside";
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  for (const char* target : {"../secret", "../../secret", "d/../../secret", "/etc/passwd", "/", "..", "d/../.."}) {
    backend_->remove(at("way"), false);
    ASSERT_TRUE(backend_->symlink(at("way"), target).ok());
    EXPECT_EQ(lookup_error("way"), EXDEV) << target;
    EXPECT_EQ(lookup_error("way/x"), EXDEV) << target;
    EXPECT_EQ(backend_->create(at("way"), {}).error(), EXDEV) << target;
    EXPECT_NE(backend_->mkdir(at("way/x"), 0755).error(), 0);
    EXPECT_NE(backend_->rename(at("d"), at("way/x"), true), 0);
    EXPECT_NE(backend_->remove(at("way/secret"), false), 0);
  }
  for (const char* path : {"..", "../secret", "d/../../secret", "../root/../secret"})
    EXPECT_EQ(lookup_error(path), EXDEV);
  EXPECT_EQ(lookup_error("/etc/passwd"), EINVAL);
  EXPECT_EQ(lookup_error("d/.."), 0);
  File forged = root_;
  forged.root = 7;
  EXPECT_EQ(backend_->lookup({forged, "d"}, true).error() == 0, GetParam() == "memory");
}

TEST_P(BackendTest, ListsEveryEntryOnceHoweverSmallTheSteps) {
  EXPECT_TRUE(backend_->mkdir(at("d"), 0755).ok());
  std::set<std::string> made = {".", ".."};
  for (int i = 0; i < 300; ++i) {
    made.insert("name" + std::to_string(i));
    create("d/name" + std::to_string(i));
  }
  const File directory = backend_->lookup(at("d"), true)->file;
  std::multiset<std::string> seen;
  uint64_t cookie = 0;
  for (bool at_end = false; !at_end;) {
    const auto listing = backend_->list(directory, cookie, 1000);
    ASSERT_TRUE(listing.ok());
    for (const Entry& entry : listing->entries) {
      seen.insert(std::string(entry.name));
      cookie = entry.cookie;
    }
    at_end = listing->at_end;
  }
  EXPECT_EQ(std::multiset<std::string>(made.begin(), made.end()), seen);
  EXPECT_EQ(backend_->list(create("f"), 0, 1000).error(), ENOTDIR);
}

TEST_P(BackendTest, SetsAttributes) {
  const File file = create("f");
  Attributes to;
  to.mode = 0400;
  to.accessed = 1'000'000'001;
  to.modified = 2'000'000'003;
  EXPECT_EQ(backend_->set_attributes(file, kSetMode | kSetAccessed | kSetModified, to), 0);
  const auto attributes = backend_->attributes(file);
  EXPECT_EQ(attributes->mode & 07777, 0400u);
  EXPECT_EQ(attributes->accessed, to.accessed);
  EXPECT_EQ(attributes->modified, to.modified);
  to.modified = kTimeNow;
  EXPECT_EQ(backend_->set_attributes(file, kSetModified, to), 0);
  EXPECT_GT(backend_->attributes(file)->modified, 1'600'000'000'000'000'000);
  EXPECT_EQ(backend_->attributes(file)->accessed, 1'000'000'001);
}

TEST_P(BackendTest, StaysUsableWithMoreFilesThanItKeepsOpen) {
  std::vector<File> files;
  for (int i = 0; i < 100; ++i) files.push_back(create("f" + std::to_string(i)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(write(files[i], 0, std::to_string(i)), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(read(files[i], 0, 9), std::to_string(i));
}

INSTANTIATE_TEST_SUITE_P(All, BackendTest, testing::Values("openat2", "walk", "memory"),
                         [](const auto& info) { return info.param; });

TEST(MemoryBackend, IsFullWhenItIsFull) {
  MemoryBackend backend("/", 1 << 20);
  const File root = root_file(0);
  const File file = backend.create({root, "f"}, {})->file;
  const std::vector<uint8_t> bytes(2 << 20, 1);
  const auto written = (*backend.open(file, true))->write({0, bytes.size()}, bytes.data());
  EXPECT_EQ(written.error, ENOSPC);
  EXPECT_EQ(written.bytes, 1u << 20);
  EXPECT_EQ((*backend.open(file, true))->resize(0), 0);
  EXPECT_EQ((*backend.open(file, true))->write({0, 1 << 20}, bytes.data()).error, 0);
  EXPECT_EQ(backend.remove({root, "f"}, false), 0);
  const File other = backend.create({root, "g"}, {})->file;
  EXPECT_EQ((*backend.open(other, true))->write({0, 1 << 20}, bytes.data()).error, 0);
}

TEST(TrialBackend, FailsWhereItIsToldTo) {
  TrialOptions options;
  options.fail_after = 150;
  options.error = EDQUOT;
  TrialBackend backend(std::make_unique<MemoryBackend>("/", 1 << 20), options);
  const File root = root_file(0);
  const auto file = *backend.open(backend.create({root, "f"}, {})->file, true);
  const std::vector<uint8_t> bytes(100, 1);
  EXPECT_EQ(file->write({0, 100}, bytes.data()).error, 0);
  const auto written = file->write({100, 100}, bytes.data());
  EXPECT_EQ(written.error, EDQUOT);
  EXPECT_EQ(written.bytes, 50u);
}

}  // namespace
}  // namespace headrace::forward
