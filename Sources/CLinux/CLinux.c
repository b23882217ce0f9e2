#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int clinux_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int clinux_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

void clinux_release_code(void) {
  // Set by the linker: what is never written lies between them.
  extern char __executable_start, etext;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t)&__executable_start & ~(page - 1), end = (uintptr_t)&etext & ~(page - 1);
  (void)madvise((void *)start, end - start, MADV_DONTNEED);
}

void clinux_stamp_packets(int socket) {
  int on = 1;
  (void)setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  (void)setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

ssize_t clinux_receive_packet(int socket, void *bytes, size_t capacity, int *is_packet, int64_t *sent) {
  _Alignas(struct cmsghdr) char control[128];
  struct iovec vector = {bytes, capacity};
  struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  *sent = INT64_MIN;
  ssize_t count = recvmsg(socket, &header, MSG_DONTWAIT);
  *is_packet = count > 0 || (count == 0 && header.msg_controllen > 0);
  if (count < 0) return count;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    struct timespec time;
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    if (part->cmsg_len < CMSG_LEN(sizeof time)) continue;
    memcpy(&time, CMSG_DATA(part), sizeof time);
    *sent = (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
  }
  return count;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CRC32C __attribute__((target("sse4.2")))
#define CRC32C_WORD(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define CRC32C_BYTE(crc, byte) _mm_crc32_u8(crc, byte)

static int has_crc32c(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define CRC32C __attribute__((target("crc")))
#define CRC32C_WORD(crc, word) __crc32cd(crc, word)
#define CRC32C_BYTE(crc, byte) __crc32cb(crc, byte)

static int has_crc32c(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#endif

#ifdef CRC32C
CRC32C static uint32_t crc32c(const unsigned char *bytes, size_t length) {
  uint32_t crc = UINT32_MAX;
  for (; length >= 8; bytes += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = CRC32C_WORD(crc, word);
  }
  for (; length > 0; bytes++, length--) crc = CRC32C_BYTE(crc, *bytes);
  return ~crc;
}

int64_t clinux_crc32c(const void *bytes, size_t length) { return has_crc32c() ? (int64_t)crc32c(bytes, length) : -1; }
#else
int64_t clinux_crc32c(const void *bytes, size_t length) { return -1; }
#endif
