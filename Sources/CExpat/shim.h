#include <expat.h>
#include <stdint.h>
#include <string.h>

/// The length of a text that ends with a zero.
static inline size_t cexpat_length(const void *text) { return strlen((const char *)text); }

/// Whether there is a colon in a text that ends with a zero.
static inline int cexpat_has_colon(const void *text) { return strchr((const char *)text, ':') != NULL; }

/// Whether both have the same bytes.
static inline int cexpat_same(const void *one, const void *other, size_t count) {
  return memcmp(one, other, count) == 0;
}

/// The first place of a byte, or `count`.
static inline size_t cexpat_first(const void *bytes, int byte, size_t count) {
  const char *found = (const char *)memchr(bytes, byte, count);
  return found ? (size_t)(found - (const char *)bytes) : count;
}

/// Replaces control characters that XML cannot have by blanks. Returns the number of line feeds.
static inline size_t cexpat_blank_controls(void *bytes, size_t count) {
  unsigned char *next = (unsigned char *)bytes;
  size_t lines = 0;
  size_t place = 0;
  while (place < count) {
    // Eight bytes of which none is below 0x20 are passed over at once.
    while (count - place >= 8) {
      uint64_t word;
      memcpy(&word, next + place, 8);
      if ((word - 0x2020202020202020u) & ~word & 0x8080808080808080u) break;
      place += 8;
    }
    size_t end = count - place < 8 ? count : place + 8;
    for (; place < end; place++) {
      unsigned char byte = next[place];
      lines += byte == '\n';
      if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') next[place] = ' ';
    }
  }
  return lines;
}
