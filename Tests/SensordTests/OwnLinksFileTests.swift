import BlueZ
import Glibc
import Reports
import TestSupport
import Testing

@testable import sensord

@Suite("OwnLinksFile")
struct OwnLinksFileTests {
  private let links = OwnLinks(
    service: ":1.5",
    links: [
      OwnLinks.Link(DeviceAddress("C0:FF:EE:00:00:01")!, over: AdapterPath(0)),
      OwnLinks.Link(DeviceAddress("C0:FF:EE:00:00:02")!, over: AdapterPath(1)),
    ])

  /// Sets the time of a file to some seconds ago.
  private func age(_ path: String, _ seconds: Int) {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec -= seconds
    unsafe utimensat(AT_FDCWD, path, [now, now], 0)
  }

  @Test("what one recorder leaves, the next inherits; nobody else may read it, and without links there is no file")
  func inheritance() throws {
    let folder = TemporaryFolder()
    let file = OwnLinksFile(status: StatusFile(directory: folder.path))
    #expect(file.inherited() == nil)
    try file.write(links)
    #expect(file.inherited() == links)
    #expect(TestPlaces.mode(folder.path + "/links") == 0o600)
    try file.write(OwnLinks(service: ":1.5", links: []))
    #expect(!FileAccess.exists(folder.path + "/links"))
    try file.write(links)
    try file.write(nil)
    #expect(file.inherited() == nil)
  }

  @Test("it is believed for a minute after the last sign of life, which is its own or the status file's")
  func lifetime() throws {
    let folder = TemporaryFolder()
    let status = StatusFile(directory: folder.path)
    let file = OwnLinksFile(status: status)
    try file.write(links)
    age(folder.path + "/links", 50)
    #expect(file.inherited() == links)
    age(folder.path + "/links", 70)
    #expect(file.inherited() == nil)
    _ = try ReplacedFile(path: status.path).finish()
    #expect(file.inherited() == links)
    age(folder.path + "/links", -3600)
    age(status.path, -3600)
    #expect(file.inherited() == nil, "a clock that was set back proves nothing")
  }

  @Test("a pipe in its place is not waited for, and neither a link nor another user's file is believed")
  func foreign() async throws {
    await #expect(processExitsWith: .success) {
      // Else this would wait for a writer.
      alarm(60)
      let folder = TemporaryFolder()
      let path = folder.path + "/links"
      let file = OwnLinksFile(status: StatusFile(directory: folder.path))
      #expect(unsafe mkfifo(path, 0o666) == 0)
      #expect(file.inherited() == nil)
      let links = OwnLinks(
        service: ":1.5", links: [OwnLinks.Link(DeviceAddress("C0:FF:EE:00:00:01")!, over: AdapterPath(0))])
      try file.write(links)
      #expect(file.inherited() == links, "the pipe was replaced")
      #expect(unsafe rename(path, path + "-elsewhere") == 0 && symlink(path + "-elsewhere", path) == 0)
      #expect(file.inherited() == nil)
      #expect(unsafe rename(path + "-elsewhere", path) == 0)
      // Only root may give files away.
      guard getuid() == 0 else { return }
      #expect(unsafe chown(path, 65534, 65534) == 0)
      #expect(file.inherited() == nil)
    }
  }

  @Test(
    "what is no such file is not believed",
    arguments: ["", "sensord-links 2\n:1.5\n", "sensord-links 1\n", "sensord-links 1\n:1.5\nhci0 C0:FF\n"])
  func junk(text: String) throws {
    let folder = TemporaryFolder()
    let file = try ReplacedFile(path: folder.path + "/links")
    try file.write(Array(text.utf8))
    try file.finish()
    #expect(OwnLinksFile(status: StatusFile(directory: folder.path)).inherited() == nil)
  }
}
