import FoundationEssentials
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("A session whose name is damaged")
struct DamagedNameTests {
  private static let capture = Capture(
    header: Samples.header(Samples.session), events: Samples.beginning + (1...60).map { Samples.measurement($0) })

  /// The file of a session, and where in it the line that names the session is.
  private static func file() -> (bytes: [UInt8], name: Range<Int>) {
    let bytes = CaptureEncoder.encode(capture)
    let start = TextHeader.length
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    return (bytes, start..<end)
  }

  @Test("each bit of the line that names a session, flipped, loses no value and no date; at most the sensor's name")
  func eachBit() throws {
    let (whole, name) = Self.file()
    for index in name {
      for bit in 0..<8 {
        var bytes = whole
        bytes[index] ^= 1 << bit
        let contents = try CaptureReader.read(bytes)
        let found = try #require(contents.captures.first)
        #expect(contents.captures.count == 1 && found.log == Self.capture.log, "byte \(index), bit \(bit)")
        // A bit that makes a newline leaves two halves of the name.
        let isWhole = bytes[index] != UInt8(ascii: "\n")
        if isWhole { #expect(found.header == Self.capture.header) }
      }
    }
  }

  @Test("where nothing names the sensor it is unknown, and the session is the same one at each reading")
  func nameless() throws {
    var (bytes, name) = Self.file()
    for index in name.dropFirst(5).prefix(20) { bytes[index] ^= 0x55 }
    let contents = try CaptureReader.read(bytes)
    let found = try #require(contents.captures.first)
    #expect(contents.captures.count == 1 && found.log == Self.capture.log)
    #expect(found.sensor == SensorIdentity(address: nil, name: nil) && found.session != Samples.session)
    #expect(contents.damages.map(\.reason) == [.checksum])
    #expect(try CaptureReader.read(bytes).captures == contents.captures)
    let shorter = try CaptureReader.read(Array(bytes.dropLast(200)))
    #expect(shorter.captures.first?.session == found.session)
    #expect((shorter.captures.first?.notificationCount ?? 0) < found.notificationCount)
    // Another session is another one.
    var other = Self.capture
    other.log = SensorEventLog(Samples.beginning + (2...60).map { Samples.measurement($0) })
    var others = CaptureEncoder.encode(other)
    for index in name.dropFirst(5).prefix(20) { others[index] ^= 0x55 }
    #expect(try CaptureReader.read(others).captures.first?.session != found.session)
  }

  @Test("a journal is gone on with where one bit of a name is damaged; where more is, its segment can be replayed")
  func journal() throws {
    for isOneBit in [true, false] {
      let folder = TemporaryFolder()
      let path = "\(folder.path)/journal"
      do {
        let (journal, _) = try Journal.open(directory: path)
        try journal.open(Self.capture.header, events: Self.capture.events)
      }
      let segment = "\(path)/00000001.journal"
      var bytes = try TemporaryFolder.read(segment)
      let first = TextHeader.length + 5
      for index in first..<first + (isOneBit ? 1 : 20) { bytes[index] ^= 0x04 }
      try TemporaryFolder.write(bytes, to: segment)
      let found = try JournalReader.read(directory: path)
      #expect(found.sessions.map(\.capture) == (isOneBit ? [Self.capture] : []))
      #expect(found.damages.first?.reason == .checksum)
      let replayed = try #require(try CaptureFile.read(path: segment).captures.first)
      #expect(replayed.log == Self.capture.log && (replayed.header == Self.capture.header) == isOneBit)
    }
  }

  @Test("a session that is deleted leaves nothing where its name is damaged, in one bit or in many")
  func deleted() throws {
    for isOneBit in [true, false] {
      var (bytes, name) = Self.file()
      for index in name.dropFirst(5).prefix(isOneBit ? 1 : 20) { bytes[index] ^= 0x04 }
      let kept = try #require(JournalErasure.remainder(of: bytes, without: Samples.session, isDamaged: true))
      #expect(try CaptureReader.read(kept).captures.isEmpty)
    }
  }
}
