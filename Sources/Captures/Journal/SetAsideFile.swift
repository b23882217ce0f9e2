import Glibc

/// A file that recorders have set aside in a journal's folder, for a person to look at: `00000042.journal.damaged`.
///
/// A status line names the file until somebody has looked at it; then its name ends with `.seen`.
public struct SetAsideFile: Hashable, Sendable {
  /// The folder, and the name there. The name is `*` where the folder itself was set aside and cannot be looked into.
  public let directory: String
  public let name: String

  /// The reason for which the file was set aside, in words that follow "since".
  public var reason: String {
    switch Self.reason(of: name) {
    case .damaged?: "records in it are damaged"
    case .notAJournal?: "it is no segment of the journal"
    case .newerVersion?: "a newer sensord wrote it"
    case .unreadable?, nil: "it could not be read"
    }
  }

  private enum Reason: String, CaseIterable {
    case damaged
    case notAJournal = "not-a-journal"
    case newerVersion = "newer-version"
    case unreadable
  }

  /// The reason in the name of a file that was set aside and that nobody has looked at since; nil for every other name.
  private static func reason(of name: String) -> Reason? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, SegmentName.number("\(parts[0]).\(parts[1])") != nil else { return nil }
    return Reason.allCases.first { parts[2].hasPrefix($0.rawValue) }
  }

  /// The files that were set aside in a journal's folder, or with the folder, and that nobody has looked at, in the
  /// order of their names. Changes nothing.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` if the folder cannot be read. A missing folder is empty.
  public static func all(in path: String) throws(JournalError) -> [SetAsideFile] {
    var files: [SetAsideFile] = []
    do throws(SystemError) {
      files = try Directory(path: path).names().filter { reason(of: $0) != nil }.map {
        SetAsideFile(directory: path, name: $0)
      }
    } catch {
      guard error.number == ENOENT else { throw JournalError(.cannotRead, errorNumber: error.number, path: path) }
    }
    return (files + setAsideFolders(path)).sorted { ($0.directory, $0.name) < ($1.directory, $1.name) }
  }

  /// The files of folders that were set aside as a whole, beside the journal's own.
  private static func setAsideFolders(_ path: String) -> [SetAsideFile] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "./"
    guard let own = parts.last, let names = try? Directory(path: parent).names() else { return [] }
    return names.filter { isFolder($0, asideOf: own) }.flatMap { name in
      let folder = parts.count > 1 ? parent + name : name
      let entries: [String]
      do throws(SystemError) { entries = try Directory(path: folder).names() } catch {
        return error.number == ENOTDIR
          ? [SetAsideFile(directory: String(parent.dropLast()), name: name)]
          : [SetAsideFile(directory: folder, name: "*")]
      }
      return entries.filter { SegmentName.number($0) != nil }.map { SetAsideFile(directory: folder, name: $0) }
    }
  }

  private static func isFolder(_ name: String, asideOf own: Substring) -> Bool {
    name.hasPrefix("\(own).\(Reason.unreadable.rawValue)") && !name.hasSuffix(SegmentName.seenSuffix)
  }

  /// Records in a file's name that somebody has looked at the file, by whatever path. Does nothing where the file was
  /// not set aside, or may not be renamed.
  public static func markAsSeen(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last.map(String.init) else { return }
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
    guard let real = unsafe realpath(folder, nil) else { return }
    defer { unsafe free(real) }
    let place = unsafe String(cString: real)
    let isAside = place.hasSuffix(SegmentName.suffix) && reason(of: name) != nil
    let mark = "\(SegmentName.suffix).\(Reason.unreadable.rawValue)"
    let isInAside = place.contains(mark) && SegmentName.number(name) != nil
    let isInstead =
      name.contains(mark) && SegmentName.leadingNumber(name) == nil && !name.contains(SegmentName.seenSuffix)
    guard isAside || isInAside || isInstead, let directory = try? Directory(path: place) else { return }
    try? directory.rename(name, to: directory.freeName(name + SegmentName.seenSuffix))
    try? directory.synchronize()
  }

  /// Whether a reader that failed with this error has recognised the file's content, so that a second reading shows
  /// nothing new.
  public static func isSeen(_ error: CaptureError) -> Bool {
    guard case .unreadable(_, let number) = error else { return true }
    return !ForeignFile.Reason.unreadable(number).mayPass
  }
}
