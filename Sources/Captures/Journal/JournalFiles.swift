import Glibc

/// The files of a journal's folder as they are, for a backup: segments, and files that were set aside.
public enum JournalFiles {
  /// The names, in the order of their numbers: a file that is copied after another holds no earlier records. A missing
  /// folder is empty.
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

  /// The bytes of a file; nil where the file is gone, since the store has its sessions, or is no plain file. The last
  /// record may be incomplete, as after a crash.
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

  /// Whether a name can be that of such a file, and of no file outside of the folder.
  public static func isOne(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, SegmentName.number("\(parts[0]).\(parts[1])") != nil, name.utf8.count <= 100 else {
      return false
    }
    return !name.hasSuffix(SegmentName.rewritingSuffix)
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
  }
}

/// Names of journal files: `00000042.journal`, so that `ls` shows them in order.
enum SegmentName {
  static let suffix = ".journal"
  /// A segment that repeats records after a failed sync; it is not valid until it is renamed.
  static let rewritingSuffix = ".rewriting"
  /// A segment that is no longer needed but was damaged: set aside for analysis.
  static let damagedSuffix = ".damaged"
  /// A file that was set aside and that a person has looked at.
  static let seenSuffix = ".seen"

  static func name(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits + suffix
  }

  /// The number of the segment with this name; nil for any other file.
  static func number(_ name: String) -> Int? {
    guard name.hasSuffix(suffix), let number = leadingNumber(name), self.name(number) == name else { return nil }
    return number
  }

  /// The number at the beginning of a name, of a segment or of a file set aside: new segments get higher numbers.
  static func leadingNumber(_ name: String) -> Int? {
    let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0, number < Int.max / 2 else {
      return nil
    }
    return number
  }

  /// The name of a file that is set aside, with the reason.
  static func aside(_ name: String, _ reason: ForeignFile.Reason) -> String {
    switch reason {
    case .notAJournal: "\(name).not-a-journal"
    case .newerVersion(let version): "\(name).newer-version-\(version)"
    case .unreadable: "\(name).unreadable"
    }
  }
}
