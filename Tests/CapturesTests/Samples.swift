import FoundationEssentials
import HealthModel
import Support
import TestSupport
import Timeline

@testable import Captures

/// Made-up sessions and events.
enum Samples {
  static let session = UUID(uuidString: "0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d01") ?? UUID()
  static let other = UUID(uuidString: "c3d4e5f6-1a2b-4c3d-9e8f-001122334455") ?? UUID()
  static let boot = BootIdentifier(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

  static func header(_ session: UUID = session, name: String? = "Chest strap") -> CaptureHeader {
    CaptureHeader(
      session: session, sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: name),
      source: "sensord 0.1.0")
  }

  static func isMeasurement(_ event: SensorEvent) -> Bool {
    if case .measurement = event.kind { true } else { false }
  }

  static func measurement(_ second: Int, _ payload: [UInt8] = [0x10, 0x5A, 0x4B, 0x04]) -> SensorEvent {
    SensorEvent(.measurement(payload), at: BootInstant(microseconds: 8_123_000_000 + Int64(second) * 1_000_000))
  }

  static let beginning: [SensorEvent] = [
    SensorEvent(.boot(boot), at: BootInstant(microseconds: 8_122_000_000)),
    SensorEvent(
      .clock(wallMinusBootMicroseconds: 1_790_000_000_123_456), at: BootInstant(microseconds: 8_122_000_000)),
    SensorEvent(.connected, at: BootInstant(microseconds: 8_122_500_000)),
  ]

  /// Text as a hostile peripheral would send it.
  static let hostile = [
    "", " ", "-", "\"", "\\", "a\nb", "\u{1B}[2J", "\u{0}", "\u{202E}evil", "../../etc/passwd", "Ünïcödé 心拍",
    "\u{10FFFF}",
    String(repeating: "x", count: 248), "ends with \\", "\\u{41}", "\r\n", "a  b",
  ]

  static func metadataValue(using random: inout SeededGenerator) -> MetadataValue {
    let symbol = hostile.randomElement(using: &random) ?? ""
    let values: [MetadataValue] = [
      .text(hostile.randomElement(using: &random) ?? ""), .integer(Int64(bitPattern: random.next())),
      .real(Double.random(in: -1e6...1e6, using: &random)), .flag(.random(using: &random)),
      .time(Timestamp(microseconds: .random(in: RecordLine.times, using: &random))),
      .quantity(Quantity(.random(in: -1e6...1e6, using: &random), Unit(symbol) ?? Unit(opaque: symbol))),
    ]
    return values.randomElement(using: &random) ?? .integer(0)
  }

  static func event(using random: inout SeededGenerator) -> SensorEvent {
    let text = hostile.randomElement(using: &random) ?? ""
    let kinds: [SensorEvent.Kind] = [
      .boot(BootIdentifier(high: random.next(), low: random.next())),
      .clock(wallMinusBootMicroseconds: .random(in: RecordLine.times, using: &random)),
      .connected, .disconnected(reason: nil), .disconnected(reason: text),
      .measurement((0..<Int.random(in: 0..<24, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }),
      .measurement([0x10, 0x5A, UInt8.random(in: 0...255, using: &random), 0x03]),
      .battery(percent: .random(in: 0...255, using: &random)), .location(.random(in: 0...255, using: &random)),
      .information(DeviceInformationField.allCases.randomElement(using: &random) ?? .modelNumber, text),
      .signal(dBm: .random(in: Int16.min...Int16.max, using: &random)),
      .lost(values: .random(in: 0...Int.max, using: &random), reason: text), .marker(text), .paused, .continued,
      .marker(text, microsecondsBefore: .random(in: 0...RecordLine.times.upperBound, using: &random)),
      .stalled(microseconds: .random(in: 0...RecordLine.times.upperBound, using: &random)),
      .ended(SessionEndReason.allCases.randomElement(using: &random) ?? .request),
    ]
    let instant =
      Bool.random(using: &random)
      ? Int64.random(in: 0...1 << 45, using: &random) : Int64.random(in: RecordLine.times, using: &random)
    return SensorEvent(kinds.randomElement(using: &random) ?? .connected, at: BootInstant(microseconds: instant))
  }
}

extension Samples {
  /// A line with its checksum and its newline.
  static func line(_ text: String) -> [UInt8] {
    let line = Array(text.utf8)
    let checksum = String(CRC32C.checksum(line.span, 0..<line.count), radix: 16)
    return line + Array(" \(String(repeating: "0", count: 8 - checksum.count))\(checksum)\n".utf8)
  }

  /// A file of these lines.
  static func file(_ lines: [String], version: Int = 2) -> [UInt8] {
    line("sensord-capture \(version)") + lines.flatMap(line)
  }
}

extension [UInt8] {
  /// The lines of a text, without their newlines.
  var lines: [String] {
    split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }
}
