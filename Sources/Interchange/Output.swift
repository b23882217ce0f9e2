internal import Documents
internal import Glibc
internal import Recordings

/// Both outputs of the program.
enum Output {
  /// Writes to stdout.
  static func write(_ bytes: [UInt8]) throws(FileError) {
    guard let number = FileAccess.write(bytes, to: STDOUT_FILENO) else { return }
    throw FileError(number, "cannot write", otherwise: .inputOutput)
  }

  /// Writes a whole file that only its owner can read, or to stdout where no name is given.
  static func file(
    _ path: String?, in places: ExportPlaces,
    _ write: ((_ piece: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
  ) throws(FileError) {
    guard let path else { return try write { (piece) throws(FileError) in try Self.write(piece) } }
    let file = try places.file(path)
    try write { (piece) throws(FileError) in try file.write(piece) }
    try places.finish(file)
  }

  /// Prints a text for which nothing can be done where that fails.
  static func print(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDOUT_FILENO)
  }

  /// Writes to stderr what stands on a terminal for a moment.
  static func line(_ text: String) {
    _ = FileAccess.write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// A line on stderr, safe for a terminal whatever file names put into it.
  static func error(_ line: String) {
    _ = FileAccess.write(Array("\(PrintableText.line(line))\n".utf8), to: STDERR_FILENO)
  }
}
