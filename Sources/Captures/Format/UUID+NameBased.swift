import FoundationEssentials

extension UUID {
  /// The UUID of `name` within a namespace: version 5 of RFC 9562, section 5.5.
  init(name: String, in namespace: UUID) {
    let space = namespace.uuid
    let prefix = [
      space.0, space.1, space.2, space.3, space.4, space.5, space.6, space.7, space.8, space.9, space.10, space.11,
      space.12, space.13, space.14, space.15,
    ]
    let hash = SHA1.digest(prefix + Array(name.utf8))
    self.init(
      uuid: (
        hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6] & 0x0F | 0x50, hash[7], hash[8] & 0x3F | 0x80,
        hash[9], hash[10], hash[11], hash[12], hash[13], hash[14], hash[15]
      ))
  }
}
