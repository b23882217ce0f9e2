import HealthModel
import Testing

@testable import HealthInterchange

@Suite("A heart for somebody's ride")
struct RideMergeTests {
  private static let second = UInt32(MadeUp.start.microseconds / 1_000_000 - 631_065_600)

  private func stamp(_ seconds: UInt32, isBig: Bool = false) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: (Self.second + seconds) >> (8 * $0)) }
    return isBig ? bytes.reversed() : bytes
  }

  /// Header and checksum around messages.
  private func file(_ messages: [[UInt8]]) -> [UInt8] {
    let body = messages.flatMap { $0 }
    var bytes: [UInt8] = [14, 0x20, 0x54, 0x08] + (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) }
    bytes += ".FIT".utf8
    for part in [[], body] {
      bytes += part
      var checksum = FITChecksum()
      checksum.add(bytes)
      bytes += [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
    }
    return bytes
  }

  /// The messages between header and checksum, which are right.
  private func body(_ bytes: [UInt8]) throws -> [UInt8] {
    let body = Array(bytes.dropFirst(14).dropLast(2))
    #expect(bytes == file([body]))
    return body
  }

  private let identifier: [[UInt8]] = [[0x40, 0, 0, 0, 0, 1, 0, 1, 0], [0, 4]]
  /// Power alone: no field for a rate.
  private let powerForm: [UInt8] = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 7, 2, 0x84]

  private func power(_ seconds: UInt32) -> [UInt8] { [1] + stamp(seconds) + [250, 0] }

  /// Rates at 0, 1, 2 and 9, 10, 11 s; beats from 0.4 to 2.4 s and from 8.7 to 10.7 s.
  private func merge(_ messages: [[UInt8]]) throws -> RideMerge {
    try RideMerge(of: try MadeUp.withGap(), into: file(messages))
  }

  private func interval(_ local: UInt8, _ milliseconds: UInt16...) -> [UInt8] {
    (milliseconds + [UInt16](repeating: 0xFFFF, count: 5 - milliseconds.count)).reduce([local]) {
      $0 + [UInt8(truncatingIfNeeded: $1), UInt8($1 >> 8)]
    }
  }

  @Test("records without a field for a rate get one in a form of their own; what has no rate keeps its form")
  func added() throws {
    let ride = identifier + [powerForm, power(1), power(6), power(9), [0, 4]]
    let merged = try merge(ride)
    #expect((merged.rates, merged.intervals) == (2, 3))
    let form: [UInt8] = [0x41, 0, 0, 20, 0, 3, 253, 4, 0x86, 7, 2, 0x84, 3, 1, 2]
    let intervals: [UInt8] = [0x4F, 0, 0, 78, 0, 1, 0, 10, 0x84]
    let expected: [[UInt8]] =
      identifier + [
        powerForm, form, power(1) + [61], intervals, interval(15, 1000), powerForm, power(6), interval(15, 1000), form,
        power(9) + [70], interval(15, 1000), [0, 4],
      ]
    #expect(try body(merged.bytes) == expected.flatMap { $0 })
  }

  @Test("a field that says that there is none is filled, a rate stays, and a late one counts for two seconds")
  func filled() throws {
    let form: [UInt8] = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2]
    func record(_ seconds: UInt32, _ rate: UInt8) -> [UInt8] { [1] + stamp(seconds) + [rate] }
    let ride = [form, record(0, 255), record(1, 99), record(4, 0), record(5, 255), record(10, 0)]
    let merged = try merge(ride)
    #expect(merged.rates == 3)
    let reading = try Reading(merged.bytes, .fit)
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [60, 99, 62, 71])
  }

  @Test("intervals that the ride has are not doubled")
  func intervals() throws {
    let hrv: [[UInt8]] = [[0x42, 0, 0, 78, 0, 1, 0, 2, 0x84], [2, 0x20, 0x03]]
    let merged = try merge([powerForm, power(1)] + hrv + [power(2)])
    #expect((merged.rates, merged.intervals) == (2, 0))
  }

  @Test("where all local types are taken, one is defined again before its next message")
  func taken() throws {
    let forms = (UInt8(2)...15).map { [0x40 | $0, 0, 0, 34, 0, 1, 1, 2, 0x84] }
    let merged = try merge(identifier + forms + [powerForm, power(1), [15, 1, 0], [15, 1, 0]])
    let tail: [[UInt8]] = [
      [0x4F, 0, 0, 78, 0, 1, 0, 10, 0x84], interval(15, 1000), [0x4F, 0, 0, 34, 0, 1, 1, 2, 0x84], [15, 1, 0],
      [15, 1, 0],
    ]
    #expect(try body(merged.bytes).suffix(tail.flatMap { $0 }.count) == tail.flatMap { $0 }[...])
  }

  @Test("both byte orders, compressed times, fields of applications: a rate stands behind FIT's own fields")
  func forms() throws {
    // Big endian with a developer field of two bytes.
    let form: [UInt8] = [0x61, 0, 1, 0, 20, 1, 253, 4, 0x86, 1, 0, 2, 0]
    let merged = try merge([form, [1] + stamp(1, isBig: true) + [7, 8]])
    #expect(
      try body(merged.bytes).dropFirst(form.count).prefix(24)
        == ([0x61, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 2, 1, 0, 2, 0, 1] + stamp(1, isBig: true) + [61, 7, 8])[...])
    // A time of five bits behind a full one.
    let compressed = try merge([
      [0x41, 0, 0, 20, 0, 1, 253, 4, 0x86], [1] + stamp(0), [0x42, 0, 0, 20, 0, 1, 7, 2, 0x84],
      [0xC0 | UInt8((Self.second + 1) & 0x1F), 250, 0],
    ])
    #expect(compressed.rates == 2)
    #expect(try Reading(compressed.bytes, .fit).sessions.first?.rates.map(\.beatsPerMinute) == [60, 61])
  }

  @Test("chained files are each whole again; another time has nothing")
  func chained() throws {
    let one = file([powerForm, power(1)])
    let merged = try RideMerge(of: try MadeUp.withGap(), into: one + file([powerForm, power(10)]))
    #expect((merged.rates, merged.intervals) == (2, 2))
    #expect(try Reading(merged.bytes, .fit).account.notes.isEmpty)
    let other = try RideMerge(of: try MadeUp.withGap(), into: file([powerForm, power(3600)]))
    #expect((other.rates, other.intervals, other.hasRecords) == (0, 0, true))
    #expect(other.bytes == file([powerForm, power(3600)]))
  }

  @Test("each of chained files begins with its own first record, whatever is in front of it")
  func chainedBeginnings() throws {
    let recording = try MadeUp.withGap()
    let alone = try RideMerge(of: recording, into: file([powerForm, power(10)]))
    let hrv: [[UInt8]] = [[0x42, 0, 0, 78, 0, 1, 0, 2, 0x84], [2, 0x20, 0x03]]
    // An earlier ride, a later one, one that has intervals: none changes what the second gets.
    for first in [[powerForm, power(1)], [powerForm, power(3600)], [powerForm, power(1)] + hrv] {
      let merged = try RideMerge(of: recording, into: file(first) + file([powerForm, power(10)]))
      let before = try RideMerge(of: recording, into: file(first))
      #expect(merged.intervals == before.intervals + alone.intervals)
      #expect(merged.bytes == before.bytes + alone.bytes)
    }
    let backwards = try RideMerge(
      of: recording, into: file([powerForm, power(9), power(10)]) + file([powerForm, power(1), power(2)]))
    #expect((backwards.rates, backwards.intervals) == (4, 4))
  }

  @Test("what was not added is told: records with a rate and without a heart, intervals where there is no record")
  func leftOut() throws {
    let form: [UInt8] = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2]
    func record(_ seconds: UInt32, _ rate: UInt8) -> [UInt8] { [1] + stamp(seconds) + [rate] }
    func told(_ merged: RideMerge) -> [String] { merged.leftOut.map { "\($0.count) \($0.reason)" } }
    let merged = try merge([form, record(1, 99), record(2, 255), record(6, 255)])
    #expect((merged.rates, merged.intervals) == (1, 2))
    #expect(
      told(merged) == [
        "1 record that has a heart rate already", "1 record at whose time none was recorded",
        "2 interval at whose time there is no record",
      ])
    let hrv: [[UInt8]] = [[0x42, 0, 0, 78, 0, 1, 0, 2, 0x84], [2, 0x20, 0x03]]
    let own = "1 interval, of which the ride has its own"
    let missing = "interval at whose time there is no record"
    #expect(told(try merge([powerForm, power(1)] + hrv)) == [own, "3 \(missing)"])
    // Chained: the second file has no intervals, and gets those of its time.
    let chained = try RideMerge(
      of: try MadeUp.withGap(), into: file([powerForm, power(1)] + hrv) + file([powerForm, power(10)]))
    #expect(chained.intervals == 1)
    #expect(told(chained) == [own, "2 \(missing)"])
  }

  @Test("whatever is not whole is refused with its place")
  func damaged() throws {
    let recording = try MadeUp.withGap()
    let whole = file(identifier + [powerForm, power(1), power(2)])
    for length in whole.indices {
      #expect(throws: FileDamage.self) { try RideMerge(of: recording, into: Array(whole[..<length])) }
    }
    var wrong = whole
    wrong[whole.count - 4] ^= 1
    #expect(throws: FileDamage("byte \(whole.count - 2)", "the checksum is wrong")) {
      try RideMerge(of: recording, into: wrong)
    }
    #expect(throws: FileDamage("byte 14", "a message of the local type 3, which was not defined")) {
      try RideMerge(of: recording, into: file([[3, 0]]))
    }
  }

  @Test("a record whose time is far ahead takes no intervals from those behind it")
  func ahead() throws {
    let merged = try merge([powerForm, power(0), power(1), power(1_000_000), power(2), power(9)])
    #expect((merged.rates, merged.intervals) == (4, 3))
  }

  @Test("a field for the rate that has no byte is no place for one")
  func emptyField() throws {
    let form: [UInt8] = [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 0, 2]
    #expect(try merge([form, [1] + stamp(1)]).rates == 0)
  }

  @Test("messages and definitions without end are refused")
  func bombs() throws {
    let empty = [UInt8](repeating: 0, count: 1 << 20)
    #expect(throws: FileDamage.self) { try merge([[0x40, 0, 0, 20, 0, 0], empty]) }
    // Two forms of 253 fields without a byte and 255 of applications, in turn with a rate and without: each rate needs a definition.
    let fields = [[253, 4, 0x86]] + [[UInt8]](repeating: [200, 0, 2], count: 253)
    let applications: [UInt8] = [255] + [UInt8](repeating: 0, count: 3 * 255)
    let form: [UInt8] = [0x61, 0, 0, 20, 0, 254] + fields.flatMap { $0 } + applications
    let pairs = [[[UInt8]]](repeating: [power(1).dropLast(2), power(3600).dropLast(2)], count: 3000).flatMap { $0 }
    #expect(throws: FileDamage.self) { try merge([form] + pairs) }
  }
}
