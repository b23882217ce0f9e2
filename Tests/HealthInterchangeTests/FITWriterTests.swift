import HealthModel
import Testing

@testable import HealthInterchange

@Suite("FIT written")
struct FITWriterTests {
  @Test("header, size and both checksums are right")
  func frame() throws {
    let bytes = InterchangeFormat.fit.bytes(of: try MadeUp.withGap())
    #expect(bytes.prefix(4) == [0x0E, 0x20, 0x54, 0x08])
    let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(size == bytes.count - 16)
    #expect(Array(bytes[8..<12]) == Array(".FIT".utf8))
    var header = FITChecksum()
    header.add(bytes.prefix(12))
    #expect(bytes[12..<14] == [UInt8(truncatingIfNeeded: header.value), UInt8(header.value >> 8)])
    var whole = FITChecksum()
    whole.add(bytes.dropLast(2))
    #expect(bytes.suffix(2) == [UInt8(truncatingIfNeeded: whole.value), UInt8(whole.value >> 8)])
    // What a checksum's own bytes leave.
    whole.add(bytes.suffix(2))
    #expect(whole.value == 0)
  }

  @Test("the known check value of the CRC")
  func checksum() {
    var checksum = FITChecksum()
    checksum.add("123456789".utf8)
    #expect(checksum.value == 0xBB3D)
  }

  @Test("the timer starts and stops around a gap, and intervals come after the record of their second")
  func messages() throws {
    let bytes = InterchangeFormat.fit.bytes(of: try MadeUp.withGap())
    // Behind the definition of a record (local type 4: timestamp, rate): 0x44 00 00 14 00 02 …
    let second = UInt32(MadeUp.start.microseconds / 1_000_000 - 631_065_600)
    func stamp(_ seconds: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: (second + seconds) >> (8 * $0)) }
    }
    func interval(_ milliseconds: UInt16) -> [UInt8] {
      [6, UInt8(truncatingIfNeeded: milliseconds), UInt8(milliseconds >> 8)] + [UInt8](repeating: 0xFF, count: 8)
    }
    func timer(_ seconds: UInt32, byHand: Bool, _ type: UInt8) -> [UInt8] {
      [3] + stamp(seconds) + [byHand ? 0 : 1, 0, 0, 0, 0, type]
    }
    let definition: [UInt8] = [0x44, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 0x02]
    let intervals: [UInt8] = [0x46, 0, 0, 78, 0, 1, 0, 10, 0x84]
    let expected: [[UInt8]] = [
      [0x43, 0, 0, 21, 0, 4, 253, 4, 0x86, 3, 4, 0x86, 0, 1, 0x00, 1, 1, 0x00],
      timer(0, byHand: true, 0),
      definition, [4] + stamp(0) + [60],
      [4] + stamp(1) + [61], intervals, interval(1000),
      [4] + stamp(2) + [62], interval(1000), timer(2, byHand: false, 4),
      // 8.7 s rounds to 9, which is later than its second.
      [0x45, 0, 0, 20, 0, 1, 253, 4, 0x86], [5] + stamp(8), timer(9, byHand: false, 0),
      [4] + stamp(9) + [70], interval(1000),
      [4] + stamp(10) + [71], interval(1000), timer(11, byHand: true, 4),
      [4] + stamp(11) + [72],
    ]
    #expect(contains(bytes, expected.flatMap { $0 }))
  }

  @Test("each lap has the time of its own end, and the last one alone says that the session ended")
  func laps() throws {
    var recording = try MadeUp.withGap()
    recording.laps = try [(0.0, 3.5), (3.5, 7.0), (7.0, 10.0)].map { start, end in
      let span = try #require(TimeSpan(start: MadeUp.time(start), end: MadeUp.time(end)))
      return InterchangeRecording.Lap(span)
    }
    let bytes = InterchangeFormat.fit.bytes(of: recording)
    let second = UInt32(MadeUp.start.microseconds / 1_000_000 - 631_065_600)
    func stamp(_ seconds: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: (second + seconds) >> (8 * $0)) }
    }
    for (index, start, end) in [(UInt8(0), UInt32(0), UInt32(3)), (1, 3, 7), (2, 7, 11)] {
      // Local type 7: index, timestamp, start; further behind the trigger, before the sport.
      let head = [7, index, 0] + stamp(end) + stamp(start)
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: head) })
      // Elapsed and timer time, event and type, average and greatest rate.
      #expect(bytes[place + head.count + 4 + 4 + 2 + 2] == (index == 2 ? 7 : 0))
    }
    let session = try #require(Reading(bytes, .fit).sessions.first)
    #expect(session.markers.count == 3)
    for (marker, end) in zip(session.markers, [3.5, 7, 10]) {
      #expect(abs(marker.time.microseconds(since: MadeUp.time(end))) < 1_000_000)
    }
  }

  @Test("a rate of more than a byte is no rate, and the text of a device is cut between characters")
  func limits() {
    let bytes = InterchangeFormat.fit.bytes(of: MadeUp.recording(seconds: 2, rates: [(0.5, 300)]))
    let second = UInt32(MadeUp.start.microseconds / 1_000_000 - 631_065_600)
    let stamp: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: second >> (8 * $0)) }
    #expect(contains(bytes, [4] + stamp + [255]))
    #expect(FITMessages.prefix("Ärger", bytes: 1) == [])
    #expect(FITMessages.prefix("Ärger", bytes: 3) == Array("Är".utf8))
  }

  @Test("times before FIT's are refused, and a recording without anything")
  func refusals() throws {
    var old = try MadeUp.withGap()
    #expect(InterchangeFormat.fit.refusal(old) == nil)
    old.span = TimeSpan(at: Timestamp(microseconds: 800_000_000_000_000))
    #expect(InterchangeFormat.fit.refusal(old) == "FIT has no times before July 1998")
    #expect(InterchangeFormat.fit.refusal(MadeUp.recording(seconds: 1)) == "there is neither a rate nor a beat in it")
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { Array(bytes[$0..<($0 + part.count)]) == part }
  }
}
