/// A message of Open Sound Control 1.0 with one argument.
public struct OSCMessage: Hashable, Sendable {
  public enum Argument: Hashable, Sendable {
    case flag(Bool)
    case integer(Int32)
    case number(Float)
  }

  public var address: String
  public var argument: Argument

  public init(_ address: String, _ argument: Argument) {
    self.address = address
    self.argument = argument
  }

  /// Its bytes: address and types as texts that end with zeros at a multiple of four, then the argument, most significant byte first.
  public var bytes: [UInt8] {
    switch argument {
    case .flag(let flag): Self.padded(address) + Self.padded(flag ? ",T" : ",F")
    case .integer(let value): Self.padded(address) + Self.padded(",i") + Self.bytes(UInt32(bitPattern: value))
    case .number(let value): Self.padded(address) + Self.padded(",f") + Self.bytes(value.bitPattern)
    }
  }

  private static func padded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
