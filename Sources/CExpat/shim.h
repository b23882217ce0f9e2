#include <expat.h>
#include <string.h>

/// The length of a text that ends with a zero.
static inline size_t cexpat_length(const void *text) { return strlen((const char *)text); }

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
  for (size_t place = 0; place < count; place++) {
    unsigned char byte = next[place];
    int plain = byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
    lines += byte == '\n';
    next[place] = plain ? byte : ' ';
  }
  return lines;
}
