import FoundationEssentials
import Glibc

/// A folder's files as a ``DiskModel`` has them.
public struct DiskImage: Sendable {
  public var state: DiskModel.State
  public var inodes: [String: UInt64]

  /// What is below `folder` now.
  public init(of folder: String) throws {
    state = [:]
    inodes = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let whole = "\(folder)/\(path)"
      var status = stat()
      guard unsafe stat(whole, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      inodes[path] = UInt64(status.st_ino)
      state[path] = [UInt8](try Data(contentsOf: URL(filePath: whole)))
    }
  }

  /// Puts `state` in the place of everything below `folder`.
  public static func write(_ state: DiskModel.State, to folder: String) throws {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (path, bytes) in state {
      let file = "\(folder)/\(path)"
      if let slash = file.lastIndex(of: "/") {
        try FileManager.default.createDirectory(atPath: String(file[..<slash]), withIntermediateDirectories: true)
      }
      try Data(bytes).write(to: URL(filePath: file))
    }
  }
}
