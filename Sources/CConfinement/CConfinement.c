#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
// Calls of the x32 interface have this bit.
#define MOST_CALLS 0x40000000
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define MOST_CALLS 0x7fffffff
#else
#error "no filter of system calls for this processor"
#endif

#define FORBID(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, REFUSED)
#define REFUSED (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))

int cconfinement_enter(void) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, MOST_CALLS, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, REFUSED),
      FORBID(socket), FORBID(socketpair), FORBID(connect), FORBID(bind), FORBID(listen), FORBID(accept), FORBID(accept4),
      FORBID(execve), FORBID(execveat), FORBID(ptrace), FORBID(process_vm_readv), FORBID(process_vm_writev),
      FORBID(mount), FORBID(umount2), FORBID(bpf), FORBID(perf_event_open), FORBID(userfaultfd), FORBID(add_key),
      FORBID(request_key), FORBID(keyctl), FORBID(unshare), FORBID(setns),
      // Its operations pass no filter.
      FORBID(io_uring_setup), FORBID(io_uring_enter), FORBID(io_uring_register),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0 ? 0 : -1;
}
