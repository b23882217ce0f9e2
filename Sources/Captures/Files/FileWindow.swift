import Glibc

/// The part of a file that is being read: memory holds one part, however long the file is.
struct FileWindow {
  /// No record of a capture is longer, in bytes: a length beyond this is damage.
  static let greatestRecord = 64 << 20

  /// The bytes of the part.
  private(set) var bytes: [UInt8]
  /// The file's length when it was opened.
  let fileLength: Int
  /// Nil where the first part is the whole file.
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

  /// Gives up what is before the reader's position, and reads on until the reader has what it needs.
  ///
  /// - Returns: Whether the reader is to go on; false where it needs nothing.
  /// - Throws: ``CaptureError/unreadable(path:errorNumber:)``.
  mutating func advance(_ position: inout ReadingPosition) throws(CaptureError) -> Bool {
    guard position.needed > 0, let file else { return false }
    bytes.removeSubrange(..<position.index)
    // Not what is being written behind the end that the file had.
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
