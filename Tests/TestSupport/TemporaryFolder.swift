import Glibc

/// A folder of one test, removed with everything in it at its end.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// `inMemory` where the machine can: for tests that make many files and ask nothing of a disk.
  public init(inMemory: Bool = false) {
    let place = inMemory && Self.hasMemory ? "/dev/shm" : "/tmp"
    var template = Array("\(place)/sensord-test-XXXXXX".utf8CString)
    // Where there is no room for a folder no test can run.
    guard unsafe mkdtemp(&template) != nil else { fatalError("no temporary folder: error \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.removeTree(path)
  }

  /// Containers often have 64 MiB there, which a database fills.
  private static var hasMemory: Bool {
    var room = statvfs()
    guard unsafe access("/dev/shm", W_OK) == 0, unsafe statvfs("/dev/shm", &room) == 0 else { return false }
    return UInt64(room.f_bavail) * UInt64(room.f_frsize) >= 1 << 28
  }

  /// Where a test of one store has it.
  public var store: String { "\(path)/store.sqlite" }

  /// The names in the folder, sorted.
  public var names: [String] { Self.names(path) }

  /// The names in any folder, sorted; none where it cannot be read.
  public static func names(_ path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The bytes of a file; none where it cannot be read.
  public func bytes(of name: String) -> [UInt8] {
    guard let file = unsafe fopen("\(path)/\(name)", "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Makes or replaces a file, and makes the folders above it; its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      _ = unsafe mkdir(folder, 0o700)
    }
    let whole = "\(path)/\(name)"
    guard let file = unsafe fopen(whole, "w") else { throw NotWritten(path: whole, code: errno) }
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, count == bytes.count else { throw NotWritten(path: whole, code: errno) }
    return whole
  }

  /// The same of a text.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try write(name, Array(text.utf8))
  }

  private struct NotWritten: Error {
    var path: String
    var code: Int32
  }

  /// The permission bits of a file; 0 where there is none.
  public func mode(of name: String) -> UInt32 {
    var status = stat()
    return unsafe stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// Removes a folder with all that is in it.
  public static func removeTree(_ path: String) {
    for name in names(path) {
      let child = "\(path)/\(name)"
      var status = stat()
      if unsafe lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        removeTree(child)
      } else {
        unsafe unlink(child)
      }
    }
    unsafe rmdir(path)
  }
}
