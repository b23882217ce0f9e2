// What the Glibc module does not export: epoll, eventfd, timerfd, signalfd, inotify and malloc.h; and what needs C.
// _GNU_SOURCE is not defined here, so that this module sees the same declarations as Glibc's.
#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

// Names the calling thread in the system's tools; at most 15 bytes. Returns 0 or an errno.
int clinux_name_thread(const char *name);

// Has the kernel send `signal` to this process when the thread that started it ends. Returns 0, or -1 and errno.
int clinux_set_parent_death_signal(int signal);

// The CRC-32C of `length` bytes by the processor's instruction for it; -1 where it has none.
int64_t clinux_crc32c(const void *bytes, size_t length);

// Takes `count` blocks of 64 bytes into the eight words of a SHA-256 (FIPS 180-4, 6.2.2).
void clinux_sha256_mix(uint32_t *state, const void *blocks, size_t count);

// Has the kernel say of each packet of a socket from whom it is and when it was sent. Errors are ignored.
void clinux_stamp_packets(int socket);

// Reads a packet of such a socket without waiting. Returns its length, or -1 and errno. `is_packet` tells an empty packet (1)
// from the end (0), both of which have the length 0. `sent` is when it was sent, in microseconds of CLOCK_REALTIME, or
// INT64_MIN where the kernel does not say.
ssize_t clinux_receive_packet(int socket, void *bytes, size_t capacity, int *is_packet, int64_t *sent);

// Gives the pages of this program's own code and constants back to the page cache; each is mapped again when it is used next.
void clinux_release_code(void);

#endif
