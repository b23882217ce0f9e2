import FoundationEssentials
import Glibc
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("Kept captures")
struct CaptureArchiveTests {
  let folder: TemporaryFolder
  var path: String { "\(folder.path)/captures" }

  init() throws {
    folder = TemporaryFolder()
  }

  func capture(_ session: UUID) -> Capture {
    Capture(header: Samples.header(session), events: Samples.beginning + [Samples.measurement(1)])
  }

  /// Sets when a kept file was written.
  func date(_ path: String, _ seconds: Int) {
    var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
    #expect(unsafe utimes(path, &times) == 0)
  }

  @Test("a kept session is a capture file of its own, 0600 in 0700, and keeping it again replaces it")
  func keep() throws {
    let archive = CaptureArchive(directory: path, maximumAgeSeconds: nil, maximumBytes: nil)
    #expect(try archive.files().isEmpty)
    let file = try archive.keep(capture(Samples.session))
    #expect(try archive.keep(capture(Samples.session)) == file)
    #expect(try CaptureFile.read(path: file).captures == [capture(Samples.session)])
    #expect(try TemporaryFolder.mode(file) == 0o600)
    #expect(try TemporaryFolder.mode(path) == 0o700)
    #expect(try archive.files().map(\.session) == [Samples.session])
    #expect(TemporaryFolder.names(path).count == 1)
  }

  @Test("files that are too old go, then the oldest until the rest is small enough; other files stay")
  func prune() throws {
    var archive = CaptureArchive(directory: path, maximumAgeSeconds: 1000, maximumBytes: nil)
    let sessions = (0..<5).map { _ in UUID() }
    for (index, session) in sessions.enumerated() {
      date(try archive.keep(capture(session)), 10_000 + index * 500)
    }
    try TemporaryFolder.write([1], to: "\(path)/notes.txt")
    #expect(try archive.prune(now: 12_000).map(\.capture.session) == Array(sessions[..<2]))
    archive.maximumBytes = try archive.files().last.map { $0.bytes * 2 }
    #expect(try archive.prune(now: 12_000).map(\.capture.session) == [sessions[2]])
    #expect(try archive.files().map(\.session) == Array(sessions[3...]))
    #expect(TemporaryFolder.names(path).contains("notes.txt"))
  }

  @Test("of what is too old never all goes at once, whatever the clock says; what is too much does, and each says why")
  func pruneAtOnce() throws {
    var archive = CaptureArchive(directory: path, maximumAgeSeconds: 1000, maximumBytes: nil)
    let sessions = (0..<5).map { _ in UUID() }
    for (index, session) in sessions.enumerated() {
      date(try archive.keep(capture(session)), 10_000 + index)
    }
    let aged = try archive.prune(now: .max / 2)
    #expect(aged.map(\.capture.session) == Array(sessions[..<2]) && aged.allSatisfy { $0.reason == .age })
    archive.maximumBytes = 0
    archive.maximumAgeSeconds = nil
    let rest = try archive.prune(now: 0)
    #expect(rest.map(\.capture.session) == Array(sessions[2...]) && rest.allSatisfy { $0.reason == .size })
  }

  @Test("a session that is deleted leaves no file")
  func remove() throws {
    let archive = CaptureArchive(directory: path, maximumAgeSeconds: nil, maximumBytes: nil)
    _ = try archive.keep(capture(Samples.session))
    try archive.remove(Samples.other)
    #expect(try archive.files().count == 1)
    try archive.remove(Samples.session)
    #expect(TemporaryFolder.names(path).isEmpty)
  }
}
