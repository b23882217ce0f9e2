/// VRChat's avatar parameters, in the three families of names that avatars are made for.
///
/// Without a value the numbers are those of rate 0, so that no avatar keeps the last rate. The flags are false, but for
/// `isHRReconnecting`, which is true while a recorder answers.
enum AvatarParameters {
  private static let prefix = "/avatar/parameters/"

  /// The messages for a new pulse.
  static func messages(_ pulse: Pulse) -> [OSCMessage] {
    var rate: UInt16 = 0
    var interval: Int?
    var isConnected = false
    if case .value(let reading) = pulse {
      (rate, interval, isConnected) = (reading.beatsPerMinute, reading.lastIntervalMilliseconds, true)
    }
    let bounded = Float(min(rate, 255))
    var messages: [OSCMessage] = [
      flag("isHRConnected", isConnected),
      flag("isHRReconnecting", !isConnected && pulse != .none(.noRecorder)),
      integer("HR", rate),
      number("floatHR", bounded / 127.5 - 1),
      number("Heartrate", bounded / 127.5 - 1),
      number("Heartrate2", bounded / 255),
      integer("Heartrate3", rate),
      integer("VRCOSC/Heartrate/Value", rate),
      flag("VRCOSC/Heartrate/Connected", isConnected),
      number("VRCOSC/Heartrate/Normalised", min(Float(rate) / 240, 1)),
      number("VRCOSC/Heartrate/Units", Float(rate % 10) / 10),
      number("VRCOSC/Heartrate/Tens", Float(rate / 10 % 10) / 10),
      number("VRCOSC/Heartrate/Hundreds", Float(rate / 100 % 10) / 10),
    ]
    if let interval { messages.append(OSCMessage(prefix + "RRInterval", .integer(Int32(interval)))) }
    return messages
  }

  /// The flag of a beat: true with each value that has beats, false a moment later.
  static func beat(_ isBeating: Bool) -> OSCMessage { flag("isHRBeat", isBeating) }

  /// The flag that changes with every beat.
  static func toggle(_ isOn: Bool) -> OSCMessage { flag("HeartBeatToggle", isOn) }

  private static func flag(_ name: String, _ flag: Bool) -> OSCMessage { OSCMessage(prefix + name, .flag(flag)) }

  private static func integer(_ name: String, _ value: UInt16) -> OSCMessage {
    OSCMessage(prefix + name, .integer(Int32(value)))
  }

  private static func number(_ name: String, _ value: Float) -> OSCMessage { OSCMessage(prefix + name, .number(value)) }
}

/// A message of Open Sound Control 1.0 with one argument.
struct OSCMessage: Hashable, Sendable {
  enum Argument: Hashable, Sendable {
    case flag(Bool)
    case integer(Int32)
    case number(Float)
  }

  var address: String
  var argument: Argument

  init(_ address: String, _ argument: Argument) {
    self.address = address
    self.argument = argument
  }

  /// The bytes: address and types as texts that end with zeros at a multiple of four, then the argument, most significant byte first.
  var bytes: [UInt8] {
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
