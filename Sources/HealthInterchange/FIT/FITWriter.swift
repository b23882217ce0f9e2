internal import FoundationEssentials
internal import HealthModel

/// FIT: an activity with a record for each second, intervals behind the record of their second, and the timer stopped over gaps.
///
/// The header has the length, so what is written is made twice: first only counted.
package enum FITWriter: RecordingWriter {
  package static let format = InterchangeFormat.fit

  package static func write<Failure: Error>(
    _ recording: InterchangeRecording, to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var size = 0
    var counted = FITBody(recording)
    counted.write { (piece) throws(Never) in size += piece.count }
    let header = header(size)
    var checksum = FITChecksum()
    checksum.add(header)
    try receive(header)
    var body = FITBody(recording)
    try body.write { (piece) throws(Failure) in
      checksum.add(piece)
      try receive(piece)
    }
    try receive([UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)])
  }

  private static func header(_ size: Int) -> [UInt8] {
    let size = UInt32(clamping: size)
    // 14 bytes, protocol 2.0, profile 21.32.
    var header: [UInt8] = [14, 0x20, 0x54, 0x08]
    for shift in [UInt32(0), 8, 16, 24] { header.append(UInt8(truncatingIfNeeded: size >> shift)) }
    header += ".FIT".utf8
    var checksum = FITChecksum()
    checksum.add(header)
    return header + [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
  }
}

/// The starts and stops of the timer of a FIT file, in whole seconds.
///
/// FIT has intervals without times: a reader adds them up from where the timer started. So the time that the timer ran and the sum of the
/// intervals must agree, at every record and after any number of gaps. Rounding each start and stop by itself would let the errors
/// pile up; here each start takes up what is left over from before.
struct FITTimer {
  /// The second of the last start; nil while the timer stands.
  private(set) var start: Int64?
  /// The second of the last stop.
  private(set) var lastStop = Int64.min
  /// The time that the timer ran until the last stop, in seconds.
  private(set) var seconds: Int64 = 0
  /// The lead of the timer over the sum of the intervals, in microseconds, at the last stop: half a second either way.
  private var ahead: Int64 = 0
  private var sum: Int64 = 0

  var isRunning: Bool { start != nil }

  /// Starts at a beat, or at a rate: returns the second, which is less than one away from it.
  mutating func start(at microseconds: Int64) -> Int64 {
    let second = max((microseconds + ahead + 500_000).flooredSeconds, lastStop)
    start = second
    sum = 0
    return second
  }

  mutating func add(milliseconds: Int64) { sum += milliseconds * 1000 }

  /// Stops after something that was at `microseconds`: at its second, or the next. A single beat stops where it started.
  mutating func stop(at microseconds: Int64, isSingle: Bool, countsSums: Bool) -> Int64 {
    guard let start else { return lastStop }
    var second = start
    if !isSingle {
      if countsSums { second += (sum - ahead + 500_000).flooredSeconds }
      second = max(second, microseconds.flooredSeconds, start)
    }
    seconds += second - start
    if countsSums { ahead += (second - start) * 1_000_000 - sum }
    lastStop = second
    self.start = nil
    return second
  }

  /// The times without beats in which the timer runs, in whole seconds: from rate to rate, and of a workout from its start to its end. The
  /// timer stands in recorded gaps, and in pauses.
  static func parts(of recording: InterchangeRecording) -> [ClosedRange<Int64>] {
    var parts: [ClosedRange<Int64>] = []
    let isWorkout = recording.workout != nil
    var start = isWorkout ? recording.span.start.microseconds.flooredSeconds : nil
    var last: Int64?
    for one in RateSeconds(recording, withoutPauses: true) {
      if let first = start, let last, one.isPrecededByGap {
        parts.append(first...max(first, last))
        start = one.second
      }
      start = start ?? one.second
      last = one.second
    }
    let end = isWorkout ? max(last ?? .min, recording.span.end.microseconds.flooredSeconds) : last
    if let start, let end { parts.append(start...max(start, end)) }
    var pauses = TimeStretches()
    for pause in recording.pauses.stretches {
      pauses.append(from: pause.lowerBound.flooredSeconds, to: pause.upperBound.flooredSeconds)
    }
    guard !pauses.isEmpty else { return parts }
    var free: [ClosedRange<Int64>] = []
    for part in parts {
      // A rate between two gaps stands alone.
      if part.lowerBound == part.upperBound, !pauses.contains(part.lowerBound) { free.append(part) }
      pauses.forEachFreePart(from: part.lowerBound, to: part.upperBound) { if $0 < $1 { free.append($0...$1) } }
    }
    return free
  }
}

/// Encodes messages of a FIT file, little endian. A definition stands in front of the first message of its kind.
struct FITMessages: ~Copyable {
  /// A field with its value.
  enum Value {
    case enumeration(UInt8)
    case uint8(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case uint32z(UInt32)
    /// Text of that many bytes, its end included.
    case text(String, bytes: Int)
    case bytes([UInt8])
    /// Always five: the rest is padded with what means nothing.
    case intervals(ArraySlice<UInt16>)

    fileprivate var size: UInt8 {
      switch self {
      case .enumeration, .uint8: 1
      case .uint16: 2
      case .uint32, .uint32z: 4
      case .text(_, let bytes): UInt8(clamping: bytes)
      case .bytes(let bytes): UInt8(clamping: bytes.count)
      case .intervals: 10
      }
    }

    fileprivate var base: FITProfile.Base {
      switch self {
      case .enumeration: .enumeration
      case .uint8: .uint8
      case .uint16, .intervals: .uint16
      case .uint32: .uint32
      case .uint32z: .uint32z
      case .text: .string
      case .bytes: .bytes
      }
    }
  }

  var buffer = PieceBuffer()
  private var defined: Set<UInt8> = []

  /// Appends a message as the local type `local`. All messages of one local type have the same fields.
  /// `texts` are fields of our own (`developer fields`), which have to be described before.
  mutating func append(
    _ message: UInt16, as local: UInt8, _ fields: [(number: UInt8, value: Value)],
    texts: [(number: UInt8, text: String)] = []
  ) {
    let own = texts.map { (number: $0.number, value: Value.text($0.text, bytes: min($0.text.utf8.count + 1, 255))) }
    if defined.insert(local).inserted {
      buffer.append([(own.isEmpty ? 0x40 : 0x60) | local, 0, 0])
      append(message)
      buffer.append(byte: UInt8(fields.count))
      for field in fields { buffer.append([field.number, field.value.size, field.value.base.rawValue]) }
      if !own.isEmpty { buffer.append(byte: UInt8(own.count)) }
      for field in own { buffer.append([field.number, field.value.size, 0]) }
    }
    buffer.append(byte: local)
    for field in fields { append(field.value) }
    for field in own { append(field.value) }
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .enumeration(let value), .uint8(let value): buffer.append(byte: value)
    case .uint16(let value): append(value)
    case .uint32(let value), .uint32z(let value): append(value)
    case .bytes(let bytes): buffer.append(bytes)
    case .text(let text, let size):
      let kept = Self.prefix(text, bytes: size - 1)
      buffer.append(kept)
      buffer.append(repeatElement(0, count: size - kept.count))
    case .intervals(let intervals):
      for position in 0..<5 {
        append(position < intervals.count ? intervals[intervals.startIndex + position] : 0xFFFF)
      }
    }
  }

  /// As much of a text as fits, in whole characters.
  static func prefix(_ text: String, bytes: Int) -> [UInt8] {
    var kept: [UInt8] = []
    for character in text {
      guard kept.count + character.utf8.count <= bytes else { break }
      kept += character.utf8
    }
    return kept
  }

  private mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    var rest = value
    for _ in 0..<(value.bitWidth / 8) {
      buffer.append(byte: UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
