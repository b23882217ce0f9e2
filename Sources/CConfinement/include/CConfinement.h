// What a program that reads strangers' files gives up.
#ifndef CCONFINEMENT_H
#define CCONFINEMENT_H

#include <sys/types.h>

// The version of Landlock that this kernel has; 0 where it has none, or it is switched off.
int cconfinement_landlock(void);

// Begins the rules of Landlock, of its version `newest` at most, as a descriptor; -1 and errno, which is ENOSYS where there is no Landlock.
int cconfinement_begin(int newest);

// A file that may be read, or a folder with all that is in it. Returns 0, or -1 and errno.
int cconfinement_allow_reading(int rules, const char *path);

// A folder in which files may be made, renamed and removed. Returns 0, or -1 and errno.
int cconfinement_allow_making(int rules, const char *folder);

// From now on this process opens what the rules allow and nothing else, and makes those system calls only that reading, computing and
// writing into files that are open already need: others fail with EPERM. `rules` is -1 where there is no Landlock: every file that the
// user may read can be opened for reading then. `may_make` allows new files to be made, renamed and removed. Every thread that is
// started later is bound as well; only one may live when this is called. Returns 0, or -1 and errno, which is EBUSY where several do.
int cconfinement_enter(int rules, int may_make);

// Starts a copy of this process that has `keep` and `other` open and nothing else, and that signals of the terminal do not end.
// Returns its number, 0 in the copy, or -1 and errno. Only one thread may live.
pid_t cconfinement_fork(int keep, int other);

#endif
