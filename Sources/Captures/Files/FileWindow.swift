import Glibc

/// The part of a file that is being read: memory holds one part, however long the file is.
struct FileWindow {
  /// No record of a capture is longer, in bytes: a length beyond this is damage.
  static let greatestRecord = 64 << 20

  /// The bytes of the part.
  private(set) var bytes: [UInt8]
  /// The file's length when it was opened.
  let fileLength: Int
  /// The file behind the part; nil where the first part is the whole file.
  private let file: OpenFile?
  private let path: String
  private let standardLength: Int
  /// The offset in the file behind the part.
  private var end: Int

  /// The first part of a file. A part has at least `standardLength` bytes, except for the last one.
  ///
  /// - Throws: ``CaptureError/unreadable(path:errorNumber:)``.
  init(path: String, standardLength: Int = 1 << 20) throws(CaptureError) {
    do throws(SystemError) {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw .last }
      let file = OpenFile(descriptor: descriptor)
      fileLength = Int(try file.status().st_size)
      bytes = try file.readAll(upTo: min(standardLength, fileLength))
      end = bytes.count
      self.file = file
      self.path = path
      self.standardLength = standardLength
    } catch {
      throw .unreadable(path: path, errorNumber: error.number)
    }
  }

  /// A file that is in memory as a whole.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    fileLength = bytes.count
    end = bytes.count
    file = nil
    path = ""
    standardLength = bytes.count
  }

  /// Drops the bytes before the reader's position, and reads on until the part has the bytes that the reader needs.
  ///
  /// - Returns: Whether the reader is to go on; false where it needs nothing.
  /// - Throws: ``CaptureError/unreadable(path:errorNumber:)``.
  mutating func advance(_ position: inout ReadingPosition) throws(CaptureError) -> Bool {
    guard position.needed > 0, let file else { return false }
    bytes.removeSubrange(..<position.index)
    // Bytes that are being written behind the end that the file had do not count.
    let missing = min(max(position.needed, standardLength) - bytes.count, max(0, fileLength - end))
    let more: [UInt8]
    do {
      more = try file.read(atMost: missing, from: end)
    } catch {
      throw .unreadable(path: path, errorNumber: error.number)
    }
    bytes += more
    end += more.count
    // A file can become shorter while it is read.
    position.movePart(count: bytes.count, isLast: more.count < missing)
    return true
  }
}

/// The position of a reader in a file of which it has one part at a time, see ``FileWindow``.
struct ReadingPosition {
  /// The next byte, counted from the start of the part.
  var index: Int
  /// The offset of the part in the file.
  private(set) var partStart = 0
  /// The file's length.
  private(set) var fileLength: Int
  /// The number of bytes from `index` on that the reader needs before it can go on; 0 where it has come to its end.
  var needed = 0

  init(index: Int = 0, fileLength: Int) {
    self.index = index
    self.fileLength = fileLength
  }

  /// The next byte, counted from the start of the file.
  var fileOffset: Int { fileOffset(of: index) }
  /// The bytes of the file that are not read yet, in this part and behind it.
  var remaining: Int { fileLength - fileOffset }

  /// A byte of the part, counted from the start of the file.
  func fileOffset(of index: Int) -> Int { partStart + index }

  /// Moves the part's start to the next byte; where `isLast`, the file ends `count` bytes behind it.
  mutating func movePart(count: Int, isLast: Bool) {
    partStart += index
    index = 0
    needed = 0
    if isLast { fileLength = partStart + count }
  }
}
