import HealthModel
import Testing

@testable import HealthInterchange

@Suite("FIT read")
struct FITReaderTests {
  /// A file of these messages; the checksum may be wrong.
  private func file(_ messages: [[UInt8]], size: Int? = nil, isSound: Bool = true) -> [UInt8] {
    let body = messages.flatMap { $0 }
    let size = UInt32(size ?? body.count)
    var bytes: [UInt8] = [12, 0x10, 0, 0]
    for shift in [UInt32(0), 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
    bytes += ".FIT".utf8
    bytes += body
    var checksum = FITChecksum()
    checksum.add(bytes)
    let value = isSound ? checksum.value : ~checksum.value
    return bytes + [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
  }

  // 0x3C000000 = 2021-11-22T17:48:32Z
  private let first = Timestamp(microseconds: (0x3C00_0000 + 631_065_600) * 1_000_000)
  private func after(_ seconds: Int64) -> Timestamp { first.advanced(byMicroseconds: seconds * 1_000_000) }

  @Test("big endian messages, and compressed times that go over")
  func order() throws {
    let reading = try Reading(
      file([
        [0x40, 0, 1, 0, 20, 2, 253, 4, 0x86, 3, 1, 0x02], [0, 0x3C, 0, 0, 0x1E, 60],
        [0x41, 0, 1, 0, 20, 1, 3, 1, 0x02], [0x80 | 1 << 5 | 0x1F, 61], [0x80 | 1 << 5 | 0x00, 62],
      ]), .fit)
    #expect(reading.damage == nil)
    #expect(reading.sessions.first?.rates.map(\.time) == [after(30), after(31), after(32)])
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [60, 61, 62])
  }

  @Test("fields of applications are passed over and told, and so are messages that nobody knows")
  func developer() throws {
    let reading = try Reading(
      file([
        [0x60, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 0x02, 1, 0, 2, 0], [0, 0, 0, 0, 0x3C, 60, 9, 9],
        [0x41, 0, 0, 0x34, 0x12, 1, 0, 1, 0x02], [1, 7], [1, 7],
      ]), .fit)
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [60])
    #expect(reading.account.leftOut == ["developer fields": 1, "message 4660": 2])
  }

  @Test("files in a chain are recordings of their own, and a wrong checksum is told")
  func chain() throws {
    let one = file(
      [
        [0x40, 0, 0, 0, 0, 1, 0, 1, 0], [0, 4], [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2], [1, 0, 0, 0, 0x3C, 60],
      ], isSound: false)
    let reading = try Reading(one + one, .fit)
    #expect(reading.damage == nil)
    #expect(reading.sessions.count == 2)
    let places = [one.count - 2, 2 * one.count - 2]
    #expect(reading.account.notes == places.map { "the checksum at byte \($0) is wrong" })
  }

  @Test("monitoring has times of sixteen bits")
  func monitoring() throws {
    let reading = try Reading(
      file([
        [0x40, 0, 0, 55, 0, 1, 253, 4, 0x86], [0, 0xF0, 0xFF, 0, 0x3C],
        [0x41, 0, 0, 55, 0, 2, 26, 2, 0x84, 27, 1, 2], [1, 0xFE, 0xFF, 60], [1, 4, 0, 61],
      ]), .fit)
    #expect(reading.sessions.first?.rates.map(\.time) == [after(0xFFFE), after(0x1_0004)])
  }

  @Test("the place of what cannot be read is told, and what was before it stays")
  func damage() throws {
    let rate: [[UInt8]] = [[0x40, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2], [0, 0, 0, 0, 0x3C, 60]]
    let undefined = try Reading(file(rate + [[5, 1, 2, 3]]), .fit)
    #expect(undefined.damage == FileDamage("byte 30", "a message of the local type 5, which was not defined"))
    #expect(undefined.sessions.first?.rates.count == 1)
    let short = try Reading(Array(file(rate, size: 5000).dropLast(2)), .fit)
    #expect(short.damage?.problem == "the file ends here; its header promises 4982 bytes more")
    let trailing = try Reading(file(rate) + [1, 2, 3], .fit)
    #expect(trailing.damage == FileDamage("byte 32", "here no FIT file begins"))
    #expect(trailing.sessions.first?.rates.count == 1)
  }

  @Test("a time, or an interval, of more than 32 bits is left out and told")
  func wideNumbers() throws {
    let time: [UInt8] = [0x40, 0, 0, 20, 0, 2, 253, 8, 0x8F, 3, 1, 2]
    let reading = try Reading(
      file([
        time, [0, 0xFE] + [UInt8](repeating: 0xFF, count: 7) + [60], [0x41, 0, 0, 20, 0, 1, 3, 1, 2], [0xA0, 61],
        [0x42, 0, 0, 78, 0, 1, 0, 8, 0x8F], [2, 0, 0, 0, 0, 1, 0, 0, 0],
      ]), .fit)
    #expect(reading.damage == nil)
    #expect(reading.sessions.isEmpty)
    #expect(
      reading.account.leftOut
        == ["time since a device was switched on": 1, "record without a time": 2, "interval that is none": 1])
  }

  @Test("sixteen local types of 255 fields, each of 255 bytes, are read")
  func great() throws {
    var messages: [[UInt8]] = []
    for local in UInt8(0)..<16 {
      var definition: [UInt8] = [0x40 | local, 0, 0, 1, 0, 255]
      for field in UInt8(0)..<255 { definition += [field, 255, 13] }
      messages.append(definition)
      messages.append([local] + [UInt8](repeating: 0, count: 255 * 255))
    }
    let reading = try Reading(file(messages), .fit, pieces: 4096)
    #expect(reading.damage == nil)
    #expect(reading.account.leftOut == ["capabilities": 16])
  }

  @Test("where the clock of records goes on and intervals do not, there is a gap")
  func lost() throws {
    var messages: [[UInt8]] = [
      [0x40, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2], [0x41, 0, 0, 78, 0, 1, 0, 2, 0x84],
    ]
    for second in [UInt8(0), 1, 2, 3, 30, 31, 32] { messages += [[0, second, 0, 0, 0x3C, 60], [1, 0xE8, 3]] }
    let session = try #require(try Reading(file(messages), .fit).sessions.first)
    #expect(session.heartbeats.runs.map(\.beats.count) == [5, 4])
    #expect(session.gaps.count == 1)
    #expect(session.heartbeats.gapCount == 1)
  }

  @Test(
    "rates of 0 and above the field's range are told, and so are intervals of 0; what says that there is none is not")
  func none() throws {
    let reading = try Reading(
      file([
        [0x40, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2], [0, 0, 0, 0, 0x3C, 0], [0, 1, 0, 0, 0x3C, 255],
        [0, 2, 0, 0, 0x3C, 60],
        [0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 2, 0x84], [1, 3, 0, 0, 0x3C, 0xFF, 0], [1, 4, 0, 0, 0x3C, 0xFF, 0xFF],
        [1, 5, 0, 0, 0x3C, 0xFE, 0],
        [0x42, 0, 0, 78, 0, 1, 0, 4, 0x84], [2, 0, 0, 0xFF, 0xFF], [0x43, 0, 0, 55, 0, 2, 253, 4, 0x86, 27, 1, 2],
        [3, 6, 0, 0, 0x3C, 0], [3, 6, 0, 0, 0x3C, 255],
      ]), .fit)
    #expect(reading.damage == nil)
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [60, 254])
    #expect(
      reading.account.leftOut == [
        "heart rate of 0": 2, "heart rate above 254": 1, "interval that is none": 1,
        "monitoring without a heart rate": 1,
      ])
  }
}
