#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <sys/prctl.h>

int clinux_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int clinux_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
