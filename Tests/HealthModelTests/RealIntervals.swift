import Foundation
import TestSupport
import Testing

/// Interval series recorded by others, in the formats in which they are published; milliseconds.
enum RealIntervals {
  static let folder = ProcessInfo.processInfo.environment["SENSORD_TEST_DATA"]

  /// The series under the name that the reference values have for it.
  static func named(_ name: String) throws -> [Double] {
    let path = try #require(folder) + "/" + (name.split(separator: " ").first.map(String.init) ?? name)
    switch path.split(separator: ".").last {
    case "txt": return try text(path)
    case "hrm": return try polar(path)
    case "npy": return try numpy(path)
    case "csv": return try rows(path)
    case "fit": return try activity(path)
    case "atr": return try annotated(path, isNormalOnly: name.contains("N-N"))
    default: throw CocoaError(.fileReadUnsupportedScheme)
    }
  }

  private static func text(_ path: String) throws -> [Double] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  }

  /// Polar's HRM: the section `[HRData]`.
  private static func polar(_ path: String) throws -> [Double] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
    return lines.drop { $0 != "[HRData]" }.dropFirst().compactMap { Double($0) }
  }

  /// NumPy's file of 64-bit integers.
  private static func numpy(_ path: String) throws -> [Double] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let first = 10 + Int(bytes[8]) + Int(bytes[9]) << 8
    return stride(from: first, to: bytes.count, by: 8).map { start in
      var value: UInt64 = 0
      for byte in bytes[start..<(start + 8)].reversed() { value = value << 8 | UInt64(byte) }
      return Double(Int64(bitPattern: value))
    }
  }

  /// `time_ns,hr,rr_ms`, an interval in some of the rows.
  private static func rows(_ path: String) throws -> [Double] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst().compactMap {
      Double($0.split(separator: ",", omittingEmptySubsequences: false)[2])
    }
  }

  /// The `hrv` messages (78) of a FIT file: up to five intervals each, in milliseconds, 0xFFFF for none.
  private static func activity(_ path: String) throws -> [Double] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func word(_ place: Int, isBig: Bool) -> Int {
      isBig ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : Int(bytes[place + 1]) << 8 | Int(bytes[place])
    }
    var definitions: [Int: (message: Int, isBig: Bool, fields: [(number: Int, size: Int)], size: Int)] = [:]
    var place = Int(bytes[0])
    let end = place + word(4, isBig: false) + word(6, isBig: false) << 16
    var intervals: [Double] = []
    while place < end {
      let header = Int(bytes[place])
      place += 1
      if header & 0xC0 == 0x40 {
        let isBig = bytes[place + 1] == 1
        let count = Int(bytes[place + 4])
        let fields = (0..<count).map { (Int(bytes[place + 5 + 3 * $0]), Int(bytes[place + 6 + 3 * $0])) }
        var size = fields.reduce(0) { $0 + $1.1 }
        let message = word(place + 2, isBig: isBig)
        place += 5 + 3 * count
        if header & 0x20 != 0 {
          let own = Int(bytes[place])
          for field in 0..<own { size += Int(bytes[place + 2 + 3 * field]) }
          place += 1 + 3 * own
        }
        definitions[header & 0xF] = (message, isBig, fields.map { (number: $0.0, size: $0.1) }, size)
      } else {
        let kind = header & 0x80 != 0 ? header >> 5 & 3 : header & 0xF
        let definition = try #require(definitions[kind])
        if definition.message == 78 {
          for offset in stride(from: 0, to: definition.size, by: 2) {
            let value = word(place + offset, isBig: definition.isBig)
            if value != 0xFFFF { intervals.append(Double(value)) }
          }
        }
        place += definition.size
      }
    }
    return intervals
  }

  /// Labelled beats at 360 Hz; of normal beats only the intervals between two of them, closed up.
  private static func annotated(_ path: String, isNormalOnly: Bool) throws -> [Double] {
    guard !isNormalOnly else { return try normalStretches(path).flatMap { $0.map { $0 * 1000 } } }
    let beats = try AnnotationFile(path: path).beats
    return zip(beats, beats.dropFirst()).map { Double($1.sample - $0.sample) / 360 * 1000 }
  }

  /// The intervals between labelled normal beats in seconds, parted where another beat stands between.
  static func normalStretches(_ path: String) throws -> [[Double]] {
    let beats = try AnnotationFile(path: path).beats
    return beats.split { $0.label != 1 }.map { normal in
      zip(normal, normal.dropFirst()).map { Double($1.sample - $0.sample) / 360 }
    }.filter { !$0.isEmpty }
  }
}
