// A library to preload (LD_PRELOAD) into a program under test: it records what the program does to the files below one
// folder and which packets it fetches, so that the states which a power cut can leave are rebuilt afterwards, makes calls
// fail or the program die on demand, and sets its clocks.
//
//   POWERCUT_ROOT    the folder; nothing outside it is recorded or made to fail
//   POWERCUT_LOG     the file to which entries are appended, outside of the root
//   POWERCUT_SYNC    "off": fsync and fdatasync return success at once and are recorded as having done nothing;
//                    "free": the same, but recorded as having done their work, for a test that needs no real disk
//   POWERCUT_FAULTS  what befalls calls, "call:action:first:last[:part]" between semicolons; call is write, open (for writing),
//                    fsync (any kind of sync), truncate, rename or unlink; action an error's name (ENOSPC, EIO, EROFS, EDQUOT),
//                    "SHORT" (half of a write is done), "KILL" (SIGKILL before the call), "KILLED" (after it), "STOP"
//                    (SIGSTOP before it), or "DELAY" and milliseconds; first and last count the calls of that kind, from 1,
//                    below the root and, where given, with part in the path, at its end where part ends with $
//   POWERCUT_SWITCH  a file; while it is missing nothing befalls a call, and none is counted
//   POWERCUT_CLOCK   a file of two int64_t: by how many microseconds the program sees its wall clock and its boot clock
//                    ahead of the machine's; it may be changed while the program runs
//
// Not seen: writes through mmap (SQLite's -shm file, which is not part of the durable state), and system calls that do
// not go through the C library.
#ifndef POWERCUT_H
#define POWERCUT_H

#include <stdint.h>

enum {
  powercut_open = 1,        // path = where; offset = 1 if the call made the file
  powercut_write = 2,       // file, offset, data
  powercut_truncate = 3,    // file, offset = new length
  powercut_rename = 4,      // path, second path
  powercut_unlink = 5,      // path
  powercut_mkdir = 6,       // path
  powercut_rmdir = 7,       // path
  powercut_sync_begin = 8,  // file, path; offset = a number that the end repeats
  powercut_sync_end = 9,    // file; offset as at the beginning; result 0 if it made all before its beginning durable
  powercut_link = 10,       // path, second path = the new name
  powercut_start = 11,      // a process begins; file = its number
  powercut_receive = 12,    // file = a socket of type SOCK_SEQPACKET, wherever it is; data = the packet that was fetched
};

// An entry of the log, in the byte order of the machine, followed by path, second path and data. Paths are relative to the
// root, "" for the root itself. A file is named by its inode number, which belongs to a new file after an open that made it.
struct powercut_entry {
  uint32_t kind;
  uint32_t path_length;
  uint32_t second_path_length;
  uint32_t data_length;
  uint64_t file;
  int64_t offset;
  int64_t result;
  int64_t instant;  // microseconds on the machine's boot clock
};

#endif
