import Glibc
import Reports

@testable import sensord

/// Where the tests find things.
enum TestPlaces {
  /// The project's folder.
  static var root: String {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)
    return "/" + parts.joined(separator: "/")
  }

  /// A capture with every kind of record; its sensor's name tries to clear the screen.
  static var everyRecord: String { "\(root)/Tests/CapturesTests/Fixtures/every-record.capture" }

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

/// The program's exit codes; Swift Testing has a type of the same name.
typealias Code = Reports.ExitStatus
