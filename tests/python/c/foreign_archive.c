// Writes an OTF2 archive as EZTrace 2 does: every function has role FUNCTION and paradigm USER, definitions of
// communicators come twice, and files are handles of a paradigm "posix io". Two ranks of one thread each.
//
// foreign_archive DIRECTORY NAME…   each rank is in function NAME for 1,000 ns, one after the other; a name that begins
//                                   with + is one that a compiler marked (paradigm COMPILER)
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, TAKES = 1000, APART = 500 };

static void check(OTF2_ErrorCode code, const char* what) {
  if (code == OTF2_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription(code));
  exit(1);
}

static OTF2_FlushType flush(void* user, OTF2_FileType type, OTF2_LocationRef at, void* caller, bool final) {
  (void)user, (void)type, (void)at, (void)caller, (void) final;
  return OTF2_FLUSH;
}
static OTF2_TimeStamp now(void* user, OTF2_FileType type, OTF2_LocationRef at) {
  (void)user, (void)type, (void)at;
  return 0;
}
static OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush, .otf2_post_flush = now};

/// What a function does besides: a message, a collective operation or a transfer.
static void act(OTF2_EvtWriter* events, const char* name, int rank, uint64_t time) {
  if (strcmp(name, "MPI_Send") == 0 && rank == 0)
    check(OTF2_EvtWriter_MpiSend(events, NULL, time, 1, 0, 7, 800), "MpiSend");
  if (strcmp(name, "MPI_Recv") == 0 && rank == 1)
    check(OTF2_EvtWriter_MpiRecv(events, NULL, time, 0, 0, 7, 800), "MpiRecv");
  if (strcmp(name, "MPI_Barrier") == 0) {
    check(OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, time), "CollectiveBegin");
    check(OTF2_EvtWriter_MpiCollectiveEnd(events, NULL, time, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE,
                                          0, 0),
          "CollectiveEnd");
  }
  if (strcmp(name, "fread") != 0) return;
  check(OTF2_EvtWriter_IoOperationBegin(events, NULL, time, 0, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NONE,
                                        100, 0),
        "IoOperationBegin");
  check(OTF2_EvtWriter_IoOperationComplete(events, NULL, time, 0, 100, 0), "IoOperationComplete");
}

static void write_events(OTF2_Archive* archive, int rank, char** names, int count) {
  OTF2_EvtWriter* events = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)rank);
  for (int i = 0; i < count; ++i) {
    const uint64_t at = (uint64_t)i * (TAKES + APART) + 1;
    check(OTF2_EvtWriter_Enter(events, NULL, at, (OTF2_RegionRef)i), "Enter");
    act(events, names[i] + (*names[i] == '+'), rank, at + TAKES / 2);
    check(OTF2_EvtWriter_Leave(events, NULL, at + TAKES, (OTF2_RegionRef)i), "Leave");
  }
  check(OTF2_Archive_CloseEvtWriter(archive, events), "CloseEvtWriter");
  check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, (OTF2_LocationRef)rank)), "CloseDef");
}

static OTF2_StringRef strings;
static OTF2_StringRef text(OTF2_GlobalDefWriter* to, const char* bytes) {
  check(OTF2_GlobalDefWriter_WriteString(to, strings, bytes), "String");
  return strings++;
}

static void define_world(OTF2_GlobalDefWriter* to, const char* name, uint32_t ranks) {
  const uint64_t all[RANKS] = {0, 1};
  const OTF2_StringRef called = name == NULL ? OTF2_UNDEFINED_STRING : text(to, name);
  if (name != NULL)
    check(OTF2_GlobalDefWriter_WriteGroup(to, 0, called, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, ranks, all),
          "Group");
  check(OTF2_GlobalDefWriter_WriteGroup(to, 0, called, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, ranks, all),
        "Group");
  check(OTF2_GlobalDefWriter_WriteComm(to, 0, called, 0, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE), "Comm");
}

static void define(OTF2_GlobalDefWriter* to, char** names, int count) {
  check(OTF2_GlobalDefWriter_WriteClockProperties(to, 1000000000, 0, UINT64_C(1) << 40, OTF2_UNDEFINED_TIMESTAMP),
        "Clock");
  const OTF2_StringRef none = text(to, ""), node = text(to, "node");
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, node, none, OTF2_UNDEFINED_SYSTEM_TREE_NODE), "Node");
  for (uint32_t rank = 0; rank < RANKS; ++rank) {
    check(OTF2_GlobalDefWriter_WriteLocationGroup(to, rank, none, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP),
          "LocationGroup");
    check(OTF2_GlobalDefWriter_WriteLocation(to, rank, none, OTF2_LOCATION_TYPE_CPU_THREAD, 0, rank), "Location");
  }
  define_world(to, "MPI_COMM_WORLD", RANKS);
  define_world(to, NULL, 1);
  const OTF2_StringRef any_file = text(to, "posix io"), path = text(to, "/data/in");
  check(OTF2_GlobalDefWriter_WriteIoParadigm(to, 1, any_file, any_file, OTF2_IO_PARADIGM_CLASS_SERIAL,
                                             OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL),
        "IoParadigm");
  check(OTF2_GlobalDefWriter_WriteIoHandle(to, 0, path, OTF2_UNDEFINED_IO_FILE, 1, OTF2_IO_HANDLE_FLAG_NONE, 0,
                                           OTF2_UNDEFINED_IO_HANDLE),
        "IoHandle");
  for (int i = 0; i < count; ++i) {
    const int marked = *names[i] == '+';
    const OTF2_StringRef name = text(to, names[i] + marked);
    check(OTF2_GlobalDefWriter_WriteRegion(to, (OTF2_RegionRef)i, name, name, name, OTF2_REGION_ROLE_FUNCTION,
                                           marked ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                           none, 0, 0),
          "Region");
  }
}

int main(int count, char** words) {
  if (count < 2) return 2;
  OTF2_Archive* archive =
      OTF2_Archive_Open(words[1], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == NULL) return 1;
  check(OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL), "SetFlushCallbacks");
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "SetSerialCollectiveCallbacks");
  check(OTF2_Archive_OpenEvtFiles(archive), "OpenEvtFiles");
  check(OTF2_Archive_OpenDefFiles(archive), "OpenDefFiles");
  for (int rank = 0; rank < RANKS; ++rank) write_events(archive, rank, words + 2, count - 2);
  check(OTF2_Archive_CloseEvtFiles(archive), "CloseEvtFiles");
  check(OTF2_Archive_CloseDefFiles(archive), "CloseDefFiles");
  OTF2_GlobalDefWriter* definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  define(definitions, words + 2, count - 2);
  check(OTF2_Archive_CloseGlobalDefWriter(archive, definitions), "CloseGlobalDefWriter");
  check(OTF2_Archive_Close(archive), "Close");
  return 0;
}
