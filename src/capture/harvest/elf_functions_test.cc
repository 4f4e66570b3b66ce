#include "capture/harvest/elf_functions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "capture/harvest/elf_builder.h"

namespace headrace::capture {
namespace {

const std::vector<ElfFunction> kTwo{{"late", 0x40, 0x10}, {"_ZN4wave4stepEi", 0x10, 0x20}};

/// A file of its own each time: tables of a path stay in memory.
class Made {
 public:
  explicit Made(const std::vector<uint8_t>& bytes) {
    static int made = 0;
    path_ = testing::TempDir() + "elf-" + std::to_string(getpid()) + "-" + std::to_string(made++);
    std::ofstream file(path_, std::ios::binary);
    for (const uint8_t byte : bytes) file.put(static_cast<char>(byte));
  }
  ~Made() { unlink(path_.c_str()); }
  std::string at(uint64_t address, const std::string& build_id = "") const {
    return function_at(path_, build_id, address);
  }

 private:
  std::string path_;
};

TEST(ElfFunctions, AreFoundByWhatTheyCover) {
  const Made made(ElfBuilder(kTwo, {}).whole());
  EXPECT_EQ(made.at(0x0f), "");
  EXPECT_EQ(made.at(0x10), "wave::step(int)");
  EXPECT_EQ(made.at(0x2f), "wave::step(int)");
  EXPECT_EQ(made.at(0x30), "");
  EXPECT_EQ(made.at(0x40), "late");
  EXPECT_EQ(made.at(UINT64_MAX), "");
}

TEST(ElfFunctions, AreThoseOfTheFileThatRan) {
  const Made made(ElfBuilder(kTwo, {0xab, 0xcd}).whole());
  EXPECT_EQ(made.at(0x40, "abcd"), "late");
  EXPECT_EQ(made.at(0x40, "abce"), "");
  EXPECT_EQ(made.at(0x40), "");
}

TEST(ElfFunctions, OfFilesThatLieAreNone) {
  const auto changed = [](auto change) {
    ElfBuilder elf(kTwo, {});
    change(elf);
    return Made(elf.whole()).at(0x40);
  };
  EXPECT_EQ(changed([](ElfBuilder&) {}), "late");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.header.e_shnum = 0xffff; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.header.e_shoff = UINT64_MAX - 8; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.header.e_shentsize = 1; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.header.e_ident[EI_CLASS] = ELFCLASS32; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[1].sh_link = 9; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[1].sh_entsize = 1; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[1].sh_size = UINT64_MAX; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[1].sh_offset = UINT64_MAX; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[2].sh_size = uint64_t{1} << 40; }), "");
  EXPECT_EQ(changed([](ElfBuilder& elf) { elf.sections[2].sh_size = 1; }), "");
}

TEST(ElfFunctions, AreNotReadFromWhatIsNoFile) {
  EXPECT_EQ(function_at("/dev/zero", "", 0), "");
  EXPECT_EQ(function_at("/", "", 0), "");
  EXPECT_EQ(function_at("/no/such/file", "", 0), "");
  EXPECT_EQ(Made({}).at(0), "");
}

}  // namespace
}  // namespace headrace::capture
