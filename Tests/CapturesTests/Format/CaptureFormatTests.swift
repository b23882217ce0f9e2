import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("The capture format")
struct CaptureFormatTests {
  static let capture = Capture(
    header: Samples.header(),
    events: Samples.beginning + (0..<8).map { Samples.measurement($0) } + [
      SensorEvent(.ended(.request), at: BootInstant(microseconds: 8_150_000_000))
    ])

  @Test("one notification with two RR intervals takes 45 bytes at most, for a machine that is up for three months")
  func size() {
    let event = SensorEvent(
      .measurement([0x10, 0x5A, 0x4B, 0x04, 0xA7, 0x01]), at: BootInstant(microseconds: 8_000_000_000_000))
    var buffer = RecordBuffer()
    buffer.event(event, slot: 999)
    #expect(buffer.bytes.count <= 45)
  }

  @Test("an instant or a clock of more than 16 digits is malformed, and nothing else of the file")
  func farTimes() throws {
    var buffer = RecordBuffer()
    buffer.header(.capture)
    buffer.session(Samples.header(), slot: 1)
    let limit = RecordLine.times.upperBound
    for time in [limit, -limit, limit + 1, -limit - 1, .max, .min] {
      buffer.event(SensorEvent(.connected, at: BootInstant(microseconds: time)), slot: 1)
      buffer.event(SensorEvent(.clock(wallMinusBootMicroseconds: time), at: BootInstant(microseconds: 0)), slot: 1)
    }
    let contents = try CaptureReader.read(buffer.copy())
    #expect(contents.captures.first?.events.count == 4)
    #expect(
      contents.damages.map(\.reason)
        == (0..<4).flatMap { _ in [.malformed(field: "instant"), .malformed(field: "clock")] })
  }

  @Test("random captures come back as they were, and only printable ASCII is written")
  func randomRoundTrips() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var header = Samples.header(name: Samples.hostile.randomElement(using: &random))
      header.source = Samples.hostile.randomElement(using: &random) ?? ""
      header.sensor.address = Bool.random(using: &random) ? nil : SensorAddress(bits: random.next() >> 16)
      header.linkedTo = Bool.random(using: &random) ? Samples.other : nil
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        header.metadata[Samples.hostile.randomElement(using: &random) ?? ""] =
          Samples.metadataValue(using: &random)
      }
      var capture = Capture(
        header: header, events: (0..<Int.random(in: 0...40, using: &random)).map { _ in Samples.event(using: &random) })
      let places = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0...capture.log.count, using: &random)
      }
      capture.carried = places.sorted().map {
        CarriedRecord(eventsBefore: $0, fields: "\($0) ecg 1 2 3")
      }
      let bytes = CaptureEncoder.encode(capture)
      #expect(bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }, "seed \(seed)")
      let contents = try CaptureReader.read(bytes)
      #expect(contents.captures == [capture], "seed \(seed)")
      #expect(contents.damageCount == 0, "seed \(seed)")
    }
  }

  @Test("the fast road and the slow one read the same from every record")
  func roadsAgree() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let event = Samples.event(using: &random)
      var buffer = RecordBuffer()
      buffer.event(event, slot: Int.random(in: 1...RecordLine.greatestSlot, using: &random))
      let line = Array(buffer.copy().dropLast())
      guard case .event(let slot, let slow)? = RecordLine.record(line) else {
        Issue.record("seed \(seed): \(line.lines)")
        continue
      }
      #expect(slow == event)
      // It gives up near the end of a file, so that more has to follow.
      let bytes = buffer.copy() + [UInt8](repeating: 0x0A, count: 16)
      let fast = MeasurementScanner(bytes.span, at: 0)
      var found: [UInt8] = []
      fast?.appendPayload(to: &found)
      guard case .measurement(let payload) = event.kind,
        (0..<10_000_000_000_000_000).contains(event.instant.microseconds), !payload.isEmpty
      else {
        #expect(fast == nil || event.kind == .measurement(found), "seed \(seed)")
        continue
      }
      #expect(fast?.slot == slot, "seed \(seed)")
      #expect(fast?.microseconds == event.instant.microseconds, "seed \(seed)")
      #expect(found == payload, "seed \(seed)")
      #expect(fast?.next == buffer.bytes.count, "seed \(seed)")
    }
  }

  @Test("a file that is cut off anywhere gives everything before the cut, and nothing else")
  func everyTruncation() throws {
    let bytes = CaptureEncoder.encode(Self.capture)
    for length in 0..<bytes.count {
      let part = Array(bytes[..<length])
      do {
        let contents = try CaptureReader.read(part)
        let events = contents.captures.first?.events ?? []
        #expect(Self.capture.events.starts(with: events))
        let whole = part.count { $0 == 0x0A } - 2
        #expect(events.count == max(0, whole))
        let isCut = part.last != 0x0A
        #expect(contents.damages.map(\.reason) == (isCut ? [.cutOff] : []))
        #expect(contents.damages.first?.record == (isCut ? part.lines.count : nil))
      } catch {
        #expect(length < TextHeader.length)
        #expect(error == .empty || error == .nothingReadable(CaptureDamage(record: 1, offset: 0, reason: .cutOff)))
      }
    }
  }

  @Test("one wrong byte costs its own record, or the two that it joins or splits, and invents nothing")
  func everyCorruption() throws {
    var random = SeededGenerator(seed: 7)
    let bytes = CaptureEncoder.encode(Self.capture)
    let starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    for position in bytes.indices {
      for wrong in [UInt8.random(in: 0...255, using: &random), bytes[position] ^ 1, 0x0A, 0]
      where wrong != bytes[position] {
        var damaged = bytes
        damaged[position] = wrong
        let contents = try CaptureReader.read(damaged)
        let line = (starts.lastIndex { $0 <= position } ?? 0) + 1
        let isNewline = bytes[position] == 0x0A
        #expect(contents.damageCount >= 1)
        #expect(contents.damages.first?.record == line || wrong == 0 || position == bytes.count - 1)
        // Line 1 is the header, line 2 the session: without it the rest is a session of an unknown sensor.
        if line == 2 || line == 1 && isNewline && wrong != 0 {
          let events = contents.captures.first?.events ?? []
          #expect(contents.captures.count <= 1 && Self.capture.events.suffix(events.count) == events[...])
          continue
        }
        let lost = line == 1 ? 0..<0 : (line - 3)..<min(line - (isNewline ? 1 : 2), Self.capture.events.count)
        var expected = Self.capture.events
        // Zero in place of a newline: the record behind it is whole, and is kept.
        expected.removeSubrange(line > 1 && isNewline && wrong == 0 ? lost.lowerBound..<lost.lowerBound + 1 : lost)
        #expect(contents.captures.first?.events == expected, "byte \(position) became \(wrong)")
      }
    }
  }

  @Test("a newer version is named, whatever follows")
  func newer() {
    let bytes = Samples.line("sensord-capture 3") + Array("whatever".utf8)
    #expect(throws: CaptureError.newerVersion(found: 3, supported: 2)) { try CaptureReader.read(bytes) }
  }

  @Test(
    "bytes that are no capture are refused as that",
    arguments: ["hello\n", "sensor\n", "SQLite format 3", "\n\n\n\n", "sensord-capture 1\n", "sensord-captur3"])
  func foreign(text: String) {
    #expect(throws: CaptureError.notACapture) { try CaptureReader.read(Array(text.utf8)) }
  }

  private static let strange = [
    "0 5 connected", "1 5 connected now", "1 5 battery 256", "1 05 connected", "1 5 m 123", "1 5 m zz",
    "1 5 ended maybe",
    "1 5 information 2a2a \"x\"", "1 session nobody", "1 5 lost 2 x", "1 5 battery", "1 5 boot 12",
    "1 99999999999999999999 connected", "1048577 5 connected", "1 5 stall -1", "1 5 stall", "1 5 marker unquoted",
    "1 meta \"k\" integer 1.5", "1 meta \"k\" real nan", "1 meta \"k\" real 1", "1 meta \"k\" boolean yes",
    "1 meta \"k\" time 10000000000000000", "1 meta \"k\"", "1 5 Levitated", "X 5 connected",
    "1 5 \(String(repeating: "x", count: 33))",
  ]

  @Test("an intact record that cannot be is reported by its field, and the rest is read", arguments: [1, 2])
  func malformed(version: Int) throws {
    let bytes = Samples.line("sensord-capture \(version)") + CaptureEncoder.encode(Self.capture)[TextHeader.length...]
    let contents = try CaptureReader.read(bytes + Self.strange.flatMap(Samples.line))
    #expect(contents.captures == [Self.capture])
    #expect(contents.damageCount == Self.strange.count && contents.unknownRecordCount == 0)
    for damage in contents.damages {
      guard case .malformed = damage.reason else {
        Issue.record("\(damage)")
        continue
      }
    }
  }

  private static let later = [
    "1 5 levitated", "1 5 ecg 1 2 3", "workout 5 connected", "1 mood \"good\"", "1 meta \"weight\" amount 70 \"kg\"",
    "77 5 ecg 1",
  ]

  @Test("a record of unknown kind is skipped, reported and preserved; nothing is damaged")
  func laterKinds() throws {
    let bytes = CaptureEncoder.encode(Self.capture)
    let end = bytes.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let contents = try CaptureReader.read(bytes[..<end] + Self.later.flatMap(Samples.line) + bytes[end...])
    #expect(contents.damageCount == 0)
    #expect(contents.unknownRecordCount == Self.later.count)
    #expect(contents.unknownRecords.map(\.kind) == ["levitated", "ecg", "workout", "mood", "meta", "ecg"])
    let line = bytes[..<end].count { $0 == 0x0A } + 1
    #expect(contents.unknownRecords.map(\.record) == Array(line..<line + Self.later.count))
    let capture = try #require(contents.captures.first)
    #expect(capture.header == Self.capture.header && capture.log == Self.capture.log)
    // Those of the session's slot, where they stood.
    let fields = ["5 levitated", "5 ecg 1 2 3", "mood \"good\"", "meta \"weight\" amount 70 \"kg\""]
    #expect(capture.carried == fields.map { CarriedRecord(eventsBefore: Self.capture.log.count - 1, fields: $0) })
    #expect(try CaptureReader.read(CaptureEncoder.encode(capture)).captures == [capture])
  }

  @Test("in a file of the first version, whose kinds are all known, an unknown kind is damage as ever")
  func laterKindsInFirstVersion() throws {
    let session = "1 session \(Samples.session.uuidString.lowercased()) - - \"\""
    let contents = try CaptureReader.read(Samples.file([session, "1 5 levitated", "workout 5"], version: 1))
    #expect(contents.damages.map(\.reason) == [.malformed(field: "kind"), .malformed(field: "kind")])
    #expect(contents.unknownRecordCount == 0 && contents.captures.first?.carried == [])
  }

  @Test("later metadata of a session replace earlier values of the same key")
  func laterMetadata() throws {
    let session = "1 session \(Samples.session.uuidString.lowercased()) - - \"\""
    let contents = try CaptureReader.read(
      Samples.file([
        session, "1 meta \"level\" \"one\"", "1 5 connected", "1 meta \"level\" integer 2", "1 6 marker \"now\"",
      ]))
    #expect(contents.captures.first?.header.metadata == ["level": .integer(2)])
    #expect(contents.damageCount == 0)
  }

  @Test("endless junk takes no memory for its damages")
  func junk() throws {
    let bytes = CaptureEncoder.encode(Self.capture) + [UInt8](repeating: 0x0A, count: 100_000)
    let contents = try CaptureReader.read(bytes)
    #expect(contents.captures == [Self.capture])
    #expect(contents.damageCount == 100_000)
    #expect(contents.damages.count == 100)
  }

  @Test("errors and damages contain no measured value")
  func silence() throws {
    var bytes = CaptureEncoder.encode(Self.capture)
    bytes[bytes.count - 60] ^= 1
    for damage in try CaptureReader.read(bytes).damages {
      #expect(!damage.description.contains("105a"))
    }
  }
}
