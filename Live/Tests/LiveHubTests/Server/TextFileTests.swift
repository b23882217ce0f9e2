import Dispatch
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import LiveHub

@Suite("The hub's text file", .timeLimit(.minutes(2)))
struct TextFileTests {
  @Test("the file has the rate or a dash, never nothing, and the hub leaves a dash behind")
  func textFile() throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/rate.txt" }
    func text() -> String { String(decoding: stage.folder.bytes(of: "rate.txt"), as: UTF8.self) }
    try stage.happens(.subscribed)
    #expect(text() == "-")
    try stage.measures(64)
    #expect(text() == "64")
    try stage.happens(.changed(sensor: Stage.strap, .linkLost))
    #expect(text() == "-")
    try stage.measures(65)
    #expect(text() == "65")
    stage.stop()
    #expect(text() == "-")
    #expect(!stage.folder.names.contains("rate.txt.new"))
  }

  @Test("a file that cannot be written is told once, stops nothing else, and is written when it can be")
  func unwritable() throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/later/rate.txt" }
    let token = try stage.token()
    try stage.happens(.subscribed)
    try stage.measures(64)
    try stage.measures(65)
    #expect(stage.complained.count == 1)
    #expect(stage.complained.first?.contains("rate.txt cannot be written: No such file or directory;") == true)
    #expect(try stage.answer("/hr?token=\(token)").body == "65")
    try stage.folder.write("later/other", "")
    try stage.measures(66)
    #expect(stage.folder.bytes(of: "later/rate.txt") == Array("66".utf8))
    #expect(stage.complained.count == 1)
  }

  @Test("links that somebody put in its folder are replaced: no other file is changed, and nobody else may read it")
  func links() throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/shared/rate.txt" }
    let folder = stage.folder
    try stage.happens(.subscribed)
    try folder.write("mine", "precious")
    try folder.write("other", "precious too")
    try folder.write("shared/x", "")
    let shared = "\(folder.path)/shared"
    #expect(unsafe symlink("\(folder.path)/mine", "\(shared)/rate.txt.new") == 0)
    #expect(unsafe symlink("\(folder.path)/other", "\(shared)/rate.txt") == 0)
    try stage.measures(64)
    #expect(folder.bytes(of: "mine") == Array("precious".utf8))
    #expect(folder.bytes(of: "other") == Array("precious too".utf8))
    #expect(folder.bytes(of: "shared/rate.txt") == Array("64".utf8) && folder.mode(of: "shared/rate.txt") == 0o600)
    #expect(TemporaryFolder.names(shared) == ["rate.txt", "x"])
    // Also a hard link, which no open can tell from a file.
    #expect(unsafe link("\(folder.path)/mine", "\(shared)/rate.txt.new") == 0)
    try stage.measures(65)
    #expect(folder.bytes(of: "mine") == Array("precious".utf8))
    #expect(folder.bytes(of: "shared/rate.txt") == Array("65".utf8))
  }

  @Test("those may read it whom its mode names, whatever the mask of the process", arguments: [0o640, 0o644, 0o666])
  func mode(mode: UInt32) throws {
    let stage = try Stage {
      $0.textFile = "\($0.stateFolder)/rate.txt"
      $0.textFileMode = mode
    }
    try stage.happens(.subscribed)
    try stage.measures(64)
    #expect(stage.folder.mode(of: "rate.txt") == mode)
  }

  @Test("a pipe in place of its draft stops nothing")
  func draftPipe() throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/rate.txt" }
    try stage.happens(.subscribed)
    #expect(unsafe mkfifo("\(stage.folder.path)/rate.txt.new", 0o600) == 0)
    try stage.measures(64)
    #expect(stage.folder.bytes(of: "rate.txt") == Array("64".utf8) && stage.complained.isEmpty)
  }

  @Test(
    "a pipe, a device or a folder in its place stays as it is, and is told; the rest of the hub goes on",
    arguments: [
      ("pipe", "it is a pipe and no file"), ("socket", "it is a device or a socket and no file"),
      ("folder", "it is a folder"),
    ])
  func inPlace(name: String, reason: String) throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/place/\(name)" }
    try stage.happens(.subscribed)
    try stage.folder.write("place/x", "")
    let path = "\(stage.folder.path)/place/\(name)"
    switch name {
    case "pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
    case "folder": #expect(unsafe mkdir(path, 0o700) == 0)
    // A name of the hub's own socket.
    default: #expect(unsafe link("\(stage.folder.path)/control", path) == 0)
    }
    let token = try stage.token()
    try stage.measures(64)
    #expect(stage.complained.last == "\(path) cannot be written: \(reason); mend that, or choose another --text-file")
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
    #expect(try stage.answer("/hr?token=\(token)").body == "64")
    #expect(TemporaryFolder.names("\(stage.folder.path)/place") == [name, "x"])
  }

  @Test("a draft that cannot be removed is told by its name, and changed by nobody")
  func draftInTheWay() throws {
    let stage = try Stage { $0.textFile = "\($0.stateFolder)/rate.txt" }
    try stage.happens(.subscribed)
    try stage.folder.write("rate.txt.new/x", "")
    try stage.measures(64)
    #expect(
      stage.complained == [
        "\(stage.folder.path)/rate.txt cannot be written: \(stage.folder.path)/rate.txt.new is in the way and cannot be "
          + "removed; mend that, or choose another --text-file"
      ])
    #expect(stage.folder.bytes(of: "rate.txt") == Array("-".utf8))
  }

  /// A disk that answers when a test lets it.
  private final class SlowDisk: Sendable {
    private let written = Mutex<[String]>([])
    private let turn = DispatchSemaphore(value: 0)

    var texts: [String] { written.withLock { $0 } }

    func replace(_ text: String) -> String? {
      turn.wait()
      written.withLock { $0.append(text) }
      return nil
    }

    func answer() { turn.signal() }
  }

  @Test("a disk that does not answer stops nothing: it is told, and the last text is written when it answers")
  func slowDisk() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    let loop = group.next()
    let disk = SlowDisk()
    let told = loop.makePromise(of: String.self)
    let output = try loop.submit {
      let patience = TextFileOutput.Patience(slow: .milliseconds(1), farewell: .milliseconds(1))
      return NIOLoopBound(
        TextFileOutput("/x", on: loop, patience: patience, replace: disk.replace, complain: told.succeed),
        eventLoop: loop)
    }.wait()
    func show(_ rate: UInt16) throws {
      let reading = Reading(sensor: Stage.strap, microseconds: 1_000_000, beatsPerMinute: rate)
      try loop.submit { output.value.show(Shown(pulse: .value(reading), sequence: 1)) }.wait()
    }
    try show(61)
    // The loop goes on: each of these returns.
    for rate: UInt16 in 62...66 { try show(rate) }
    #expect(try told.futureResult.wait().hasPrefix("/x cannot be written: the disk has not answered for "))
    // Nor does the hub's end wait for it.
    try loop.flatSubmit { output.value.close() }.wait()
    #expect(disk.texts == [])
    let written = loop.flatSubmit { output.value.whenWritten() }
    for _ in 61...66 { disk.answer() }
    try written.wait()
    #expect(disk.texts == ["61", "66"])
  }
}
