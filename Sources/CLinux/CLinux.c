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

// FIPS 180-4, 4.2.2.
static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATED(word, count) ((word) >> (count) | (word) << (32 - (count)))

void clinux_sha256_mix(uint32_t *state, const void *blocks, size_t count) {
  const uint8_t *bytes = blocks;
  for (; count > 0; count--, bytes += 64) {
    uint32_t words[64];
    for (int index = 0; index < 16; index++)
      words[index] = (uint32_t)bytes[4 * index] << 24 | (uint32_t)bytes[4 * index + 1] << 16 |
                     (uint32_t)bytes[4 * index + 2] << 8 | bytes[4 * index + 3];
    for (int index = 16; index < 64; index++) {
      uint32_t a = words[index - 15], b = words[index - 2];
      words[index] = words[index - 16] + (ROTATED(a, 7) ^ ROTATED(a, 18) ^ a >> 3) + words[index - 7] +
                     (ROTATED(b, 17) ^ ROTATED(b, 19) ^ b >> 10);
    }
    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (int index = 0; index < 64; index++) {
      uint32_t next = s[7] + (ROTATED(s[4], 6) ^ ROTATED(s[4], 11) ^ ROTATED(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_constants[index] + words[index];
      uint32_t sum = next + (ROTATED(s[0], 2) ^ ROTATED(s[0], 13) ^ ROTATED(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 7 * sizeof *s);
      s[4] += next;
      s[0] = sum;
    }
    for (int index = 0; index < 8; index++) state[index] += s[index];
  }
}
