import Glibc

/// A folder of its own for one test, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/sensord-store-XXXXXX".utf8CString)
    path = unsafe template.withUnsafeMutableBufferPointer { name in
      unsafe mkdtemp(name.baseAddress!)
      return unsafe String(cString: name.baseAddress!)
    }
  }

  deinit {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  var store: String { "\(path)/store.sqlite" }

  /// The names of the files in the folder.
  var names: [String] {
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

  func bytes(of name: String) -> [UInt8] {
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

  func write(_ bytes: [UInt8], to name: String) {
    guard let file = unsafe fopen("\(path)/\(name)", "w") else { return }
    unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
  }

  /// The mode bits of a file.
  func mode(of name: String) -> UInt32 {
    var status = stat()
    unsafe stat("\(path)/\(name)", &status)
    return status.st_mode & 0o777
  }
}
