internal import Bits
internal import FoundationEssentials

extension UUID {
  /// The same for the same text: its SHA-256 in a UUID whose bits are the maker's own (RFC 9562, version 8).
  init(madeOf text: String) {
    var digest = SHA256()
    digest.add(Array(text.utf8)[...])
    var bytes = digest.digest()
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
