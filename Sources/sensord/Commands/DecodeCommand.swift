internal import Documents
internal import Bits
internal import ArgumentParser
internal import GATTHeartRate
internal import StoreCommands

/// `sensord decode HEX`: one Heart Rate Measurement payload as JSON.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Print one heart rate payload (2A37) as JSON.",
    discussion: """
      RR intervals are in 1/1024 s; bytes that belong to no field are `trailing`.

        sensord decode 103eb103
      """)

  @Argument(help: ArgumentHelp("The payload as hexadecimal digits, two a byte.", valueName: "hex"))
  var payload: String

  mutating func run() throws {
    guard let bytes = Hexadecimal.bytes(payload) else {
      throw CommandFailure(
        .usage, "the payload is no row of hexadecimal bytes", remedy: "write two digits 0-9 a-f for each byte")
    }
    do {
      try StandardOutput.write(Self.json(HeartRateMeasurement(decoding: bytes)).bytes + Array("\n".utf8))
    } catch let error as HeartRateMeasurement.DecodingError {
      throw Self.failure(error)
    }
  }

  /// The fields in their fixed order.
  static func json(_ measurement: HeartRateMeasurement) -> JSONValue {
    [
      "flags": .integer(measurement.flags.rawValue),
      "bpm": .integer(measurement.beatsPerMinute),
      "contact": .string(measurement.contact.rawValue),
      "energyKilojoules": .integer(measurement.energyKilojoules),
      "rrTicks": .array(measurement.rrTicks.map { .integer($0) }),
      "trailing": .string(Hexadecimal.text(measurement.trailing)),
    ]
  }

  private static func failure(_ error: HeartRateMeasurement.DecodingError) -> CommandFailure {
    switch error {
    case .truncated(let field, let needed, let available):
      let bytes = needed == 1 ? "1 byte" : "\(needed) bytes"
      return CommandFailure(.badData, "the payload is too short: \(field) needs \(bytes), \(available) there")
    }
  }
}
