#include <expat.h>
#include <stdint.h>
#include <string.h>

/// The length of a text that ends with a zero.
static inline size_t cexpat_length(const void *text) { return strlen((const char *)text); }

/// Whether both texts, which end with a zero, are the same.
static inline int cexpat_is(const void *one, const void *other) {
  return strcmp((const char *)one, (const char *)other) == 0;
}

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

/// The character that one of XML's own five entities stands for, 0 for anything else; its length in bytes.
static inline unsigned char cexpat_entity(const unsigned char *bytes, size_t count, size_t *length) {
  static const struct {
    char text[7];
    unsigned char length, character;
  } entities[] = {{"&lt;", 4, '<'}, {"&gt;", 4, '>'}, {"&amp;", 5, '&'}, {"&quot;", 6, '"'}, {"&apos;", 6, '\''}};
  for (size_t place = 0; place < 5; place++) {
    *length = entities[place].length;
    if (*length <= count && memcmp(bytes, entities[place].text, *length) == 0) return entities[place].character;
  }
  return 0;
}

/// How many bytes of an attribute's value are plain: up to a quote, a `<`, a reference to another character or entity than XML's own
/// five, a control character, or bytes that are not UTF-8 or a character that XML cannot have. `references`: whether there is one.
static inline size_t cexpat_plain_count(const void *bytes, size_t count, int *references) {
  const unsigned char *next = (const unsigned char *)bytes;
  const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  size_t place = 0;
  for (;;) {
    // Eight bytes of ASCII's plain characters are passed over at once.
    while (count - place >= 8) {
      uint64_t word;
      memcpy(&word, next + place, 8);
      uint64_t quote = word ^ ones * '"', less = word ^ ones * '<', and = word ^ ones * '&';
      uint64_t found = (quote - ones) & ~quote;
      found |= (less - ones) & ~less;
      found |= (and - ones) & ~and;
      found |= (word - ones * 0x20) & ~word;
      if ((found | word) & high) break;
      place += 8;
    }
    if (place == count) return count;
    unsigned char byte = next[place];
    if (byte < 0x80) {
      size_t length = 1;
      if (byte < 0x20 || byte == '"' || byte == '<') return place;
      if (byte == '&') {
        if (cexpat_entity(next + place, count - place, &length) == 0) return place;
        *references = 1;
      }
      place += length;
      continue;
    }
    // The Unicode Standard 15.0, table 3-7.
    size_t more = byte >= 0xC2 && byte <= 0xDF ? 1 : (byte & 0xF0) == 0xE0 ? 2 : byte >= 0xF0 && byte <= 0xF4 ? 3 : 0;
    if (more == 0 || count - place <= more) return place;
    unsigned char second = next[place + 1];
    unsigned char least = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    unsigned char most = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most) return place;
    for (size_t other = 2; other <= more; other++)
      if ((next[place + other] & 0xC0) != 0x80) return place;
    // U+FFFE and U+FFFF.
    if (byte == 0xEF && second == 0xBF && next[place + 2] >= 0xBE) return place;
    place += more + 1;
  }
}

/// Replaces XML's own five entities by what they stand for. Returns how many bytes are left.
static inline size_t cexpat_resolve(void *bytes, size_t count) {
  unsigned char *text = (unsigned char *)bytes;
  const unsigned char *found = count ? (const unsigned char *)memchr(text, '&', count) : NULL;
  if (!found) return count;
  size_t from = (size_t)(found - text), to = from;
  while (from < count) {
    size_t length = 1;
    unsigned char character = text[from] == '&' ? cexpat_entity(text + from, count - from, &length) : text[from];
    if (character == 0) length = 1, character = text[from];
    text[to++] = character;
    from += length;
  }
  return to;
}
