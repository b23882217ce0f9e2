import Glibc

@testable import sensord

/// Where the tests find things.
enum TestPlaces {
  /// The project's folder.
  static var root: String {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }

  /// The folder of the built programs: that of the running test program.
  static var programs: String {
    FileAccess.directory(of: (try? ProgramSearch.own()) ?? ".")
  }

  /// The folder of real recordings, where the environment names one.
  static var data: String? {
    unsafe getenv("SENSORD_TEST_DATA").map { unsafe String(cString: $0) }
  }

  /// The permission bits of what is at `path`; 0 where nothing is.
  static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }
}

/// A folder of one test, removed with everything in it at its end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/sensord-test.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw FileAccess.failure(errno, "mkdtemp", .cannotCreate) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    Self.remove(path)
  }

  /// Makes a file, and the folders above it.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try write(name, Array(text.utf8))
  }

  /// The same of bytes.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = "\(path)/\(name)"
    try FileAccess.makeDirectory(FileAccess.directory(of: file), mode: 0o700)
    let replaced = try ReplacedFile(path: file)
    try replaced.write(bytes)
    try replaced.finish(durably: false)
    return file
  }

  /// The names in the folder.
  var names: [String] { Self.names(path) }

  /// The names in any folder.
  static func names(_ path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(path) {
      let child = "\(path)/\(name)"
      var status = stat()
      if unsafe lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        remove(child)
      } else {
        unsafe unlink(child)
      }
    }
    unsafe rmdir(path)
  }
}

/// The program's exit codes; Swift Testing has a type of the same name.
typealias Code = sensord.ExitStatus
