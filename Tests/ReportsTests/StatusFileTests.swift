import RecordingSamples
import TestSupport
import Testing

@testable import Reports

@Suite("StatusFile")
struct StatusFileTests {
  @Test("the file appears whole and goes with the recorder")
  func file() throws {
    let folder = TemporaryFolder()
    let file = StatusFile(directory: folder.path + "/run")
    try file.prepare()
    #expect(try file.read() == nil)
    let document = SampleStatus.document()
    try file.write(document)
    try file.write(document)
    #expect(try file.read() == document)
    file.remove()
    #expect(try file.read() == nil)
  }

  @Test("a recorder writes where systemd says, else in the person's runtime directory, else beside the store")
  func places() {
    let store = StoreLocation(path: "/s/x.sqlite")
    func path(_ values: [String: String]) -> String {
      StatusFile.forRecorder(environment: ProcessEnvironment(values), store: store).path
    }
    #expect(
      path(["RUNTIME_DIRECTORY": "/run/sensord", "XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/sensord/status.json")
    #expect(path(["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/sensord/status.json")
    #expect(path([:]) == "/s/status.json")
  }

  @Test("a process that is gone, or is another program, does not run")
  func running() throws {
    var document = SampleStatus.document()
    document.processIdentifier = 1 << 30
    #expect(!StatusFile.isRunning(document))
    document.processIdentifier = 1
    #expect(!StatusFile.isRunning(document))
  }
}
