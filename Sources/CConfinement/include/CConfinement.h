// What a program that reads strangers' files gives up.
#ifndef CCONFINEMENT_H
#define CCONFINEMENT_H

// From now on this process, in all its threads, has no network and no sockets, starts no program, and looks into no other process: such
// calls fail with EPERM. Files stay as they are. Returns 0, or -1 and errno.
int cconfinement_enter(void);

#endif
