import HealthModel
import Testing

@Suite("What an attached file is")
struct AttachmentFormTests {
  /// IHDR of one pixel, and an IEND: as much of a picture as is looked at.
  static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0] + [0x3A, 0x7E, 0x9B, 0x55]
    + [0, 0, 0, 2] + Array("IDAT".utf8) + [0xFF, 0xD8] + [1, 2, 3, 4]
    + [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
  static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 4, 8, 0, 0xFF, 0xDA, 0, 3, 1]
    + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xD9]
  static let tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 16)
  static let tiffBigEndian: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1] + [UInt8](repeating: 0, count: 16)
  static let heic: [UInt8] =
    [0, 0, 0, 20] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("heic".utf8) + [0, 0, 0, 12] + Array("meta".utf8)
    + [0, 0, 0, 0] + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3]
  static let pdf = Array("%PDF-1.4\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n".utf8)

  static func type(_ bytes: [UInt8]) throws(AttachmentError) -> AttachmentContentType {
    try AttachmentForm.type(size: bytes.count) { (offset, count) throws(AttachmentError) in
      Array(bytes.dropFirst(offset).prefix(count))
    }
  }

  static let files: [(AttachmentContentType, [UInt8])] = [
    (.png, png), (.jpeg, jpeg), (.tiff, tiff), (.tiff, tiffBigEndian), (.heic, heic), (.pdf, pdf),
  ]

  @Test("each type is known by its bytes")
  func known() throws {
    for (type, bytes) in Self.files { #expect(try Self.type(bytes) == type) }
  }

  @Test("no beginning of a file is a whole one, and none of them is taken for another type")
  func truncated() {
    for (type, bytes) in Self.files {
      for length in 0..<bytes.count {
        // The last line's end of a PDF, and the last box of a HEIC, may be shorter.
        if type == .pdf && length == bytes.count - 1 || type == .heic && length > bytes.count - 4 { continue }
        if type == .heic && length == 32 { continue }
        #expect(throws: AttachmentError.self, "\(type) of \(length) bytes") {
          try Self.type(Array(bytes.prefix(length)))
        }
      }
    }
  }

  @Test("a file that could be two is refused, and so is what follows the end of a PNG")
  func polyglots() {
    var picture = Self.png
    picture.replaceSubrange(41..<43, with: Array("%PDF-1.4".utf8))
    picture[36] = 8
    #expect(throws: AttachmentError.ambiguous(.png, .pdf)) { try Self.type(picture) }
    let appended = Self.jpeg.prefix(4) + [0, 10] + Array("%PDF-1.4".utf8) + Self.jpeg.dropFirst(8)
    #expect(throws: AttachmentError.ambiguous(.jpeg, .pdf)) { try Self.type(Array(appended)) }
    #expect(throws: AttachmentError.malformed(.png)) {
      try Self.type(Self.png + [UInt8](repeating: 0, count: 1024) + Array("PK\u{3}\u{4}".utf8))
    }
  }

  @Test("what is none of them is refused: text, a script, a page, a picture of another kind")
  func unknown() {
    for text in ["", "hello", "#!/bin/sh\n", "<html>", "GIF89a", "RIFF    WEBP", "    ftypavif    avif"] {
      #expect(throws: text.isEmpty ? AttachmentError.empty : .unknownContent) { try Self.type(Array(text.utf8)) }
    }
  }

  @Test("a name is text of 1 to 255 bytes without control characters; slashes, points and directions are text")
  func names() {
    for name in ["scan.pdf", "../../etc/passwd", "\u{202E}fdp.exe", "Brille für Ü", String(repeating: "a", count: 255)]
    {
      #expect(throws: Never.self) { try Attachment.validate(name: name) }
    }
    #expect(throws: AttachmentError.noName) { try Attachment.validate(name: "") }
    #expect(throws: AttachmentError.longName(bytes: 10_240)) {
      try Attachment.validate(name: String(repeating: "a", count: 10_240))
    }
    for name in ["a\0b", "a\nb", "\u{9B}31m"] {
      #expect(throws: AttachmentError.controlCharacterInName) { try Attachment.validate(name: name) }
    }
  }
}
