/// A defect in a measurement's bytes. Defects are counted and reported; they never end a session.
public enum PayloadDefect: String, Hashable, Sendable, CaseIterable {
  /// No byte at all. Nothing of the value is used.
  case empty
  /// The rate is cut off. Nothing of the value is used.
  case truncatedRate
  /// The energy is cut off. Nothing of the value is used.
  case truncatedEnergy
  /// Reserved flag bits are set. The fields that are known are used.
  case reservedFlags
  /// Bytes are left over behind the last field. The fields are used.
  case trailingBytes
}
