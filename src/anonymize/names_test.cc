#include "anonymize/names.h"

#include <gtest/gtest.h>

#include <set>

#include "anonymize/known.h"

namespace headrace::anonymize {
namespace {

const Names kNames(base::SipKey{1, 2, 3});

TEST(AnonymousNames, TokensAreOfOneFormAndStable) {
  const std::string token = kNames.token("alice");
  EXPECT_EQ(token.size(), 13u);
  EXPECT_EQ(token[0], '~');
  EXPECT_EQ(token, kNames.token("alice"));
  EXPECT_NE(token, kNames.token("alicf"));
  EXPECT_NE(token, Names(base::SipKey{1, 2, 4}).token("alice"));
}

TEST(AnonymousNames, ManyNamesHaveTokensOfTheirOwn) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100'000; ++i) tokens.insert(kNames.token("rank." + std::to_string(i)));
  EXPECT_EQ(tokens.size(), 100'000u);
}

TEST(AnonymousNames, PathsKeepTheirStructure) {
  const std::string home = kNames.path("/home/alice");
  EXPECT_EQ(home, "/home/" + kNames.token("alice"));
  EXPECT_EQ(kNames.path("/home/alice/run 1/out.h5"),
            home + "/" + kNames.token("run 1") + "/" + kNames.token("out.h5") + ".h5");
  EXPECT_EQ(kNames.path("/home/alice/"), home + "/");
  EXPECT_EQ(kNames.path("../alice/./x"), "../" + kNames.token("alice") + "/./" + kNames.token("x"));
  EXPECT_EQ(kNames.path("/"), "/");
  EXPECT_EQ(kNames.path(""), "");
  EXPECT_EQ(kNames.path("//alice"), "//" + kNames.token("alice"));
}

TEST(AnonymousNames, OnlyWhatEverySystemHasIsKept) {
  for (const char* path : {"/dev/shm", "/tmp", "/proc", "/usr/lib", "/dev/null", "<stdout>"}) {
    EXPECT_EQ(kNames.path(path), path);
  }
  // The same words elsewhere are somebody's names.
  EXPECT_EQ(kNames.path("/scratch/tmp"), "/" + kNames.token("scratch") + "/" + kNames.token("tmp"));
  EXPECT_EQ(kNames.path("tmp"), kNames.token("tmp"));
  EXPECT_EQ(kNames.path("/proc/4711"), "/proc/" + kNames.token("4711"));
  EXPECT_EQ(kNames.path("/usr/bin/secret"), "/usr/bin/" + kNames.token("secret"));
}

TEST(AnonymousNames, SuffixesThatAreNamesAreNotKept) {
  EXPECT_EQ(kNames.path("node.py"), kNames.token("node.py"));  // a host
  EXPECT_EQ(kNames.path("/x/.h5"), kNames.path("/x") + "/" + kNames.token(".h5"));
  EXPECT_EQ(kNames.path("/x/a.alice"), kNames.path("/x") + "/" + kNames.token("a.alice"));
  EXPECT_EQ(kNames.path("/x/a.H5"), kNames.path("/x") + "/" + kNames.token("a.H5"));
}

TEST(AnonymousNames, HostileBytesAreOneToken) {
  for (const std::string& name : {std::string("\n<script>"), std::string("\xff\xfe"), std::string(4000, 'x')}) {
    EXPECT_EQ(kNames.path(name), name.find('/') == std::string::npos ? kNames.token(name) : kNames.path(name));
    EXPECT_EQ(kNames.token(name).size(), 13u);
  }
}

TEST(AnonymousNames, SentencesKeepTheirOwnWords) {
  EXPECT_EQ(kNames.sentence("static: statically linked: no library can be loaded into it"),
            "static: statically linked: no library can be loaded into it");
  EXPECT_EQ(kNames.sentence("no: 3 processes still running"), "no: 3 processes still running");
  EXPECT_EQ(kNames.sentence("/dev/shm/hr-alice/7.spool: Permission denied"),
            "/dev/shm/" + kNames.token("hr-alice") + "/" + kNames.token("7.spool") + ": Permission denied");
  EXPECT_EQ(kNames.sentence("no alice  here"), "no " + kNames.token("alice") + "  here");
  EXPECT_EQ(kNames.sentence("(alice)"), "(" + kNames.token("alice") + ")");
  EXPECT_EQ(kNames.sentence("no\nalice"), kNames.token("no\nalice"));
  EXPECT_EQ(kNames.sentence("directory_rollup"), "directory_rollup");
  EXPECT_EQ(kNames.sentence(""), "");
}

TEST(AnonymousNames, Identifiers) {
  EXPECT_TRUE(Names::is_identifier("__openat64_2"));
  for (const char* name : {"", "2x", "a b", "a/b", "\xff"}) EXPECT_FALSE(Names::is_identifier(name));
}

TEST(AnonymousNames, Mounts) {
  EXPECT_EQ(kNames.mount_type("lustre"), "lustre");
  EXPECT_EQ(kNames.mount_type("fuse.alicefs"), "fuse." + kNames.token("alicefs"));
  EXPECT_EQ(kNames.mount_source("tmpfs"), "tmpfs");
  EXPECT_EQ(kNames.mount_source("mds@tcp:/alice"), kNames.token("mds@tcp") + ":/" + kNames.token("alice"));
  EXPECT_EQ(kNames.mount_options("rw,rsize=1048576,addr=10.0.0.1,user=alice"),
            "rw,rsize=1048576," + kNames.token("addr=10.0.0.1") + "," + kNames.token("user=alice"));
  EXPECT_EQ(kNames.mount_options("rsize=alice"), kNames.token("rsize=alice"));
}

TEST(AnonymousNames, DatasetsStayInTheirFile) {
  const std::string file = kNames.path("/scratch/run/out.h5"), dataset = kNames.path("/scratch/run/out.h5:/fields/rho");
  EXPECT_EQ(dataset, file + ":/" + kNames.token("fields") + "/" + kNames.token("rho"));
  EXPECT_EQ(kNames.path("/scratch/run/out.h5:secret").find("secret"), std::string::npos);
}

TEST(AnonymousNames, Properties) {
  for (const char* key : {"hint_asked.cb_nodes", "hint_used.romio_cb_write", "hdf5.chunk", "lustre.osts",
                          "lustre.component2.stripe_size", "gpfs.block_size"}) {
    EXPECT_EQ(kNames.property_key(key), key);
  }
  EXPECT_EQ(kNames.property_key("hint_asked.alice"), "hint_asked." + kNames.token("alice"));
  EXPECT_EQ(kNames.property_key("lustre.component1.al ice"), kNames.token("lustre.component1.al ice"));
  EXPECT_EQ(kNames.property_key("hdf5.al ice"), kNames.token("hdf5.al ice"));
  for (const char* value : {"", "16", "enable", "3,17,4", "8 16 64", "chunked", "eof", "released"}) {
    EXPECT_EQ(kNames.property_value(value), value);
  }
  EXPECT_EQ(kNames.property_value("node17:2,*:1"), kNames.path("node17:2") + "," + kNames.path("*:1"));
  EXPECT_EQ(kNames.property_value("/home/alice/hints"), kNames.path("/home/alice/hints"));
}

TEST(AnonymousNames, IdsStayApart) {
  EXPECT_EQ(kNames.id(0), 0u);
  EXPECT_NE(kNames.id(1), 1u);
  EXPECT_NE(kNames.id(1), kNames.id(2));
}

}  // namespace
}  // namespace headrace::anonymize
