import Glibc
import TestSupport
import Testing

@testable import Captures

@Suite("A file is read one part after the other")
struct FileWindowTests {
  private let folder = TemporaryFolder()

  /// What the file gives where each part has so many bytes.
  private func read(_ path: String, parts length: Int) throws -> CaptureContents {
    var window = try FileWindow(path: path, standardLength: length)
    return try CaptureFile.read(&window, handle: nil)
  }

  private func expectSame(_ bytes: [UInt8], _ comment: Comment) throws {
    let path = try folder.write("it", bytes)
    let whole = try CaptureFile.read(bytes: bytes)
    for length in [64, 65, 71, 100, 128, 1000] {
      #expect(try read(path, parts: length) == whole, comment)
    }
  }

  @Test("parts of any length give the same as the whole file", arguments: PacketScript.Format.allCases)
  func foreign(format: PacketScript.Format) throws {
    let bytes = ForeignCaptureTests.script().file(format)
    try expectSame(bytes, "\(format)")
    for count in [1, 5, 40] { try expectSame(bytes.dropLast(count), "\(format) without its last \(count) bytes") }
  }

  @Test("so do the parts of a capture of our own, damaged or not")
  func own() throws {
    let bytes = CaptureEncoder.encode(CaptureFormatTests.capture)
    try expectSame(bytes, "intact")
    try expectSame(bytes.dropLast(3), "cut off")
    for place in stride(from: 30, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[place] ^= 1
      try expectSame(damaged, "byte \(place)")
    }
  }

  @Test("what is behind a line that is longer than any record is read")
  func longLine() {
    let lines = CaptureEncoder.encode(CaptureFormatTests.capture).split(separator: UInt8(ascii: "\n")).map {
      $0 + [0x0A]
    }
    let junk = [UInt8](repeating: UInt8(ascii: "x"), count: 5000) + [0x0A]
    let bytes = Array(lines[0] + lines[1] + junk + lines.dropFirst(2).joined())
    var reader = RecordReader()
    var pass = reader.begin(file: nil, fileLength: bytes.count, from: lines[0].count, greatestRecord: 400)
    var start = 0
    while pass.position.remaining > 0 {
      start = pass.position.fileOffset
      let end = min(bytes.count, start + max(300, pass.position.needed))
      pass.position.movePart(count: end - start, isLast: false)
      reader.read(bytes.span.extracting(start..<end), &pass)
    }
    #expect(reader.sessions.map(\.capture) == [CaptureFormatTests.capture])
    #expect(reader.damages.first.map(\.reason) == [.checksum])
    #expect(reader.damages.first.first?.record == 3)
  }

  @Test("a block of 48 MB that holds no packet is passed over, wherever it stands")
  func largeBlock() throws {
    let bytes = ForeignCaptureTests.script().file(.pcapngH4)
    // A custom block in front of the packets: its type and its length; the rest is a hole in the file.
    let header = Int(bytes[4]) + 20
    let length = 48 << 20
    let start = bytes[..<header] + [0xAD, 0x0B, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    let path = try folder.write("large", Array(start))
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    let file = OpenFile(descriptor: descriptor)
    _ = lseek(descriptor, off_t(header + length), SEEK_SET)
    try file.writeAll(Array(bytes[header...]))
    #expect(try CaptureFile.read(path: path) == CaptureFile.read(bytes: bytes))
  }

  @Test("a file that becomes shorter while it is read ends there")
  func shrinking() throws {
    let bytes = ForeignCaptureTests.script().file(.btsnoopH4)
    let path = try folder.write("it", bytes)
    var window = try FileWindow(path: path, standardLength: 64)
    let length = bytes.count - 70
    #expect(unsafe truncate(path, off_t(length)) == 0)
    let contents = try CaptureFile.read(&window, handle: nil)
    #expect(contents.captures == (try CaptureFile.read(bytes: Array(bytes[..<length])).captures))
    #expect(contents.damageCount == 1)
  }

  @Test("a file that becomes longer while it is read gives what it had at first")
  func growing() throws {
    let bytes = ForeignCaptureTests.script().file(.btsnoopH4)
    let path = try folder.write("it", bytes)
    var window = try FileWindow(path: path, standardLength: 64)
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try OpenFile(descriptor: descriptor).writeAll([UInt8](repeating: 0, count: 500))
    let contents = try CaptureFile.read(&window, handle: nil)
    #expect(contents == (try CaptureFile.read(bytes: bytes)))
  }

  @Test("more values than the limit are refused in every format, and as many as it are read")
  func tooMany() throws {
    let own = CaptureEncoder.encode(CaptureFormatTests.capture)
    for bytes in [own, ForeignCaptureTests.script().file(.btsnoopH4), ForeignCaptureTests.script().file(.pcapngH4)] {
      let whole = try CaptureFile.read(bytes: bytes)
      func read(_ limit: Int) throws(CaptureError) -> CaptureContents {
        var window = FileWindow(bytes)
        return try CaptureFile.read(&window, handle: nil, limit: limit)
      }
      // A trace also counts values of which no event is made, so the count is looked for.
      let count = try #require((1...100).first { (try? read($0)) != nil })
      #expect(count > 3)
      #expect(try read(count) == whole)
      #expect(throws: CaptureError.tooLarge(limit: count - 1)) { try read(count - 1) }
    }
  }
}
