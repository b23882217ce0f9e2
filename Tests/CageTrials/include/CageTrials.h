// Acts that a program behind the cage of CConfinement tries.
#ifndef CAGETRIALS_H
#define CAGETRIALS_H

// `try VERSION`: each act in a process of its own, as an ordinary user, behind a cage with that version of Landlock at most; -1 is no
// cage. A line each: name, tab, `done` or the error. `make VERSION`: the same where files may be made in one folder. `bare PROGRAM …` becomes
// a program for which the kernel has no Landlock.
int cagetrials_run(int count, char *const *words);

#endif
