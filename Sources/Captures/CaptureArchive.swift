public import FoundationEssentials
import Glibc

/// The folder of kept captures: one file for each committed session, until it is too old or the folder too large.
public struct CaptureArchive: Hashable, Sendable {
  public var directory: String
  /// Files older than this many seconds are deleted; nil for no limit.
  public var maximumAgeSeconds: Int64?
  /// The oldest files are deleted until the rest is no larger than this; nil sets no limit.
  public var maximumBytes: Int64?
  /// Permissions of the folder, if it is created here.
  public var directoryMode: UInt32
  /// Permissions of the files.
  public var fileMode: UInt32

  public init(
    directory: String, maximumAgeSeconds: Int64?, maximumBytes: Int64?, directoryMode: UInt32 = 0o700,
    fileMode: UInt32 = 0o600
  ) {
    self.directory = directory
    self.maximumAgeSeconds = maximumAgeSeconds
    self.maximumBytes = maximumBytes
    self.directoryMode = directoryMode
    self.fileMode = fileMode
  }

  /// Writes `capture` to a new file, durably and completely or not at all, and returns the file's path.
  ///
  /// A file of the same session is replaced.
  ///
  /// - Throws: ``JournalError`` with `cannotOpen` or `notWritten`.
  public func keep(_ capture: Capture) throws(JournalError) -> String {
    let name = Self.name(of: capture.session)
    let folder: Directory
    do {
      folder = try Directory.opened(path: directory, creatingWith: directoryMode)
    } catch {
      throw JournalError(.cannotOpen, errorNumber: error.number, path: directory)
    }
    let temporaryName = name + Self.unfinishedSuffix
    do {
      try folder.remove(temporaryName)
      let file = try folder.create(temporaryName, mode: fileMode)
      try file.writeAll(CaptureEncoder.encode(capture))
      try file.synchronizeData()
      try folder.rename(temporaryName, to: name)
      try folder.synchronize()
    } catch {
      try? folder.remove(temporaryName)
      throw JournalError(.notWritten, errorNumber: error.number, path: "\(directory)/\(name)")
    }
    return "\(directory)/\(name)"
  }

  /// The kept files, oldest first; an empty array for a missing folder.
  ///
  /// - Throws: ``JournalError`` with `cannotRead`.
  public func files() throws(JournalError) -> [KeptCapture] {
    do {
      let folder = try Directory(path: directory)
      var kept: [KeptCapture] = []
      for name in try folder.names() {
        guard let session = Self.session(of: name), let status = try? folder.openForReading(name).status() else {
          continue
        }
        kept.append(
          KeptCapture(
            session: session, path: "\(directory)/\(name)", bytes: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec)))
      }
      return kept.sorted { ($0.modified, $0.path) < ($1.modified, $1.path) }
    } catch {
      guard error.number != ENOENT else { return [] }
      throw JournalError(.cannotRead, errorNumber: error.number, path: directory)
    }
  }

  /// A deleted capture and the reason.
  public struct Deletion: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
      /// The capture was older than the limit.
      case age
      /// The folder was larger than the limit.
      case size
    }

    public var capture: KeptCapture
    public var reason: Reason
  }

  /// The most captures that one call deletes because of their age: two are deleted for each one that is added, so a
  /// wrong clock costs little and the folder still empties.
  static let greatestAged = 2

  /// Deletes the captures that exceed the limits at `now` (seconds since 1970): the two oldest of those that are too
  /// old, and the oldest until the folder is small enough.
  ///
  /// - Returns: What was deleted, oldest first.
  /// - Throws: ``JournalError`` with `cannotRead` or `notPruned`.
  @discardableResult
  public func prune(now: Int64) throws(JournalError) -> [Deletion] {
    let kept = try files()
    var bytes = kept.reduce(0) { $0 + $1.bytes }
    var deleted: [Deletion] = []
    for (index, file) in kept.enumerated() {
      let isTooOld = index < Self.greatestAged && (maximumAgeSeconds.map { now - file.modified > $0 } ?? false)
      let isTooMuch = maximumBytes.map { bytes > $0 } ?? false
      guard isTooOld || isTooMuch else { continue }
      try delete(file)
      bytes -= file.bytes
      deleted.append(Deletion(capture: file, reason: isTooOld ? .age : .size))
    }
    return deleted
  }

  /// Deletes the kept file of a session, if the folder has one.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` or `notPruned`.
  public func remove(_ session: UUID) throws(JournalError) {
    for file in try files() where file.session == session {
      try delete(file)
    }
  }

  private func delete(_ file: KeptCapture) throws(JournalError) {
    do {
      let folder = try Directory(path: directory)
      try folder.remove(Self.name(of: file.session))
      try folder.synchronize()
    } catch {
      throw JournalError(.notPruned, errorNumber: error.number, path: file.path)
    }
  }

  private static let suffix = ".capture"
  private static let unfinishedSuffix = ".unfinished"

  private static func name(of session: UUID) -> String {
    session.uuidString.lowercased() + suffix
  }

  private static func session(of name: String) -> UUID? {
    guard name.hasSuffix(suffix), let session = UUID(uuidString: String(name.dropLast(suffix.count))) else {
      return nil
    }
    return self.name(of: session) == name ? session : nil
  }
}

/// A capture file in a ``CaptureArchive``.
public struct KeptCapture: Hashable, Sendable {
  public var session: UUID
  public var path: String
  public var bytes: Int64
  /// The time at which the file was written, in seconds since 1970.
  public var modified: Int64

  public init(session: UUID, path: String, bytes: Int64, modified: Int64) {
    self.session = session
    self.path = path
    self.bytes = bytes
    self.modified = modified
  }
}
