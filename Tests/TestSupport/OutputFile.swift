import Glibc

/// A file without a name that takes what a program prints: when the program has ended, all of it is there.
public final class OutputFile: Sendable {
  /// What the program writes to; it is closed when the object goes.
  public let descriptor: Int32

  public init() throws {
    var template = Array("/tmp/sensord-output-XXXXXX".utf8CString)
    descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw StartedProgram.Failure(description: "no temporary file") }
    unsafe unlink(template)
    // Everybody writes to its end, and reading moves nobody's place.
    _ = fcntl(descriptor, F_SETFL, O_APPEND)
  }

  deinit {
    close(descriptor)
  }

  /// What was printed so far.
  public var text: String {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { return "" }
    let size = Int(information.st_size)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = unsafe max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
