import Glibc

/// The files of a journal's folder as they are, for a backup: segments, and what was set aside.
public enum JournalFiles {
  /// The names, in the order of their numbers: a file that is copied behind another has nothing earlier than that. A missing folder
  /// is empty.
  ///
  /// - Throws: ``JournalError`` with `cannotRead`.
  public static func names(in path: String) throws(JournalError) -> [String] {
    do throws(SystemError) {
      return try Directory(path: path).names().filter(isOne).sorted {
        (SegmentName.leadingNumber($0) ?? 0, $0) < (SegmentName.leadingNumber($1) ?? 0, $1)
      }
    } catch {
      guard error.number != ENOENT else { return [] }
      throw JournalError(.cannotRead, errorNumber: error.number, path: path)
    }
  }

  /// The bytes of a file; nil where it is gone, since the store has what was in it, or is no plain file. The last record may be
  /// incomplete, as after a crash.
  ///
  /// - Throws: ``JournalError`` with `cannotRead`.
  public static func bytes(of name: String, in path: String) throws(JournalError) -> [UInt8]? {
    do throws(SystemError) {
      return try Directory(path: path).openForReading(name).readAll()
    } catch {
      guard ![ENOENT, ELOOP, EISDIR, EINVAL, ENXIO].contains(error.number) else { return nil }
      throw JournalError(.cannotRead, errorNumber: error.number, path: "\(path)/\(name)")
    }
  }

  /// Whether a name can be that of such a file, and of nothing that leads out of the folder.
  public static func isOne(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, SegmentName.number("\(parts[0]).\(parts[1])") != nil, name.utf8.count <= 100 else {
      return false
    }
    return !name.hasSuffix(SegmentName.rewritingSuffix)
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
  }
}
