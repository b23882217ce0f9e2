import Glibc
import TestSupport
import Testing

@testable import Reports

@Suite("ReplacedFile")
struct ReplacedFileTests {
  @Test("a file appears when it is finished, with its mode whatever the umask says")
  func appears() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/beats.csv"
    let file = try ReplacedFile(path: path, mode: 0o640)
    try file.write([1, 2])
    #expect(!FileAccess.exists(path))
    try file.write([3])
    try file.finish()
    #expect(try FileAccess.read(path) == [1, 2, 3])
    #expect(folder.mode(of: "beats.csv") == 0o640)
    #expect(folder.names == ["beats.csv"])
  }

  @Test("a file that is given up leaves what was there, and nothing else")
  func givenUp() throws {
    let folder = TemporaryFolder()
    let path = try folder.write("beats.csv", "old")
    do {
      let file = try ReplacedFile(path: path)
      try file.write([1, 2, 3])
    }
    #expect(try FileAccess.read(path) == Array("old".utf8))
    #expect(folder.names == ["beats.csv"])
  }

  @Test("a file that others could read is replaced by one that they cannot")
  func tightened() throws {
    let folder = TemporaryFolder()
    let path = try folder.write("beats.csv", "old")
    unsafe chmod(path, 0o644)
    let file = try ReplacedFile(path: path)
    try file.finish()
    #expect(folder.mode(of: "beats.csv") == 0o600)
  }

  @Test("a link is replaced, its target is left alone")
  func link() throws {
    let folder = TemporaryFolder()
    let target = try folder.write("target", "precious")
    let path = folder.path + "/beats.csv"
    unsafe symlink(target, path)
    let file = try ReplacedFile(path: path)
    try file.write([1])
    try file.finish()
    #expect(try FileAccess.read(target) == Array("precious".utf8))
    #expect(try FileAccess.read(path) == [1])
  }

  @Test("a device is written, not replaced")
  func device() throws {
    let file = try ReplacedFile(path: "/dev/null")
    try file.write([1])
    try file.finish()
    #expect(FileAccess.exists("/dev/null"))
  }

  @Test("a pipe that somebody put in a place that the program chose is replaced, neither written nor waited for")
  func pipe() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/status.json"
    #expect(unsafe mkfifo(path, 0o666) == 0)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let file = try ReplacedFile(path: path, mayBeSpecial: false)
    try file.write([1])
    try file.finish()
    var byte: UInt8 = 0
    #expect(unsafe read(reader, &byte, 1) == 0)
    #expect(try FileAccess.readRegular(path, limit: 10) == [1])
    #expect(folder.mode(of: "status.json") == 0o600)
  }

  @Test("a full disk is told and leaves nothing")
  func full() {
    let failure = #expect(throws: FileError.self) {
      let file = try ReplacedFile(path: "/dev/full")
      try file.write([1])
    }
    #expect(failure?.code == .inputOutput)
  }

  @Test("a folder, and a folder that is missing, are refused")
  func noPlace() throws {
    let folder = TemporaryFolder()
    for path in [folder.path, folder.path + "/none/beats.csv"] {
      let failure = #expect(throws: FileError.self) { _ = try ReplacedFile(path: path) }
      #expect(failure?.code == .cannotCreate)
    }
  }
}
