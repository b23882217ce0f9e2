import Glibc
import TestSupport
import Testing

@testable import Reports

@Suite("StoreLocation")
struct StoreLocationTests {
  private let person = ProcessEnvironment(["HOME": "/home/a", "XDG_STATE_HOME": "/state"])

  @Test("--store overrules everything")
  func option() throws {
    let location = try StoreLocation.forCommands(
      option: "x.db", environment: person, files: FileLookup { _ in .present })
    #expect(location == StoreLocation(path: "x.db", fileMode: 0o600, directoryMode: 0o700))
    #expect(location.directory == ".")
  }

  @Test("commands look at the service's store first where the service is installed")
  func service() throws {
    let location = try StoreLocation.forCommands(option: nil, environment: person, files: FileLookup { _ in .present })
    #expect(location.path == "/var/lib/sensord/sensord.sqlite")
    #expect(location.fileMode == 0o640 && location.directoryMode == 0o750)
  }

  @Test("who may not look into the service's folder gets their own store, or is told")
  func forbidden() throws {
    func path(hasOwn: Bool) throws -> String {
      let files = FileLookup { path in
        path == StoreLocation.servicePath ? .forbidden : (hasOwn ? .present : .absent)
      }
      return try StoreLocation.forCommands(option: nil, environment: person, files: files).path
    }
    #expect(try path(hasOwn: true) == "/state/sensord/sensord.sqlite")
    #expect(try path(hasOwn: false) == StoreLocation.servicePath)
  }

  @Test("root who allows a sensor before the service has begun means the service's store, if systemd will start it")
  func root() throws {
    func path(_ present: Set<String>, isRoot: Bool = true) throws -> String {
      let files = FileLookup { present.contains($0) ? .present : .absent }
      return try StoreLocation.forCommands(option: nil, environment: person, files: files, isRoot: isRoot).path
    }
    let unit = "/usr/lib/systemd/system/sensord.service"
    let own = "/state/sensord/sensord.sqlite"
    #expect(try path([unit, "/run/systemd/system"]) == StoreLocation.servicePath)
    #expect(try path([unit, "/run/systemd/system"], isRoot: false) == own)
    #expect(try path([unit, "/run/systemd/system", own]) == own)
    #expect(try path([unit]) == own)
    #expect(try path(["/run/systemd/system"]) == own)
  }

  @Test("what may not be looked at or changed is refused with what to do, and never taken for an empty store")
  func refusals() {
    let forbidden = FileLookup { _ in .forbidden }
    let present = FileLookup { _ in .present }
    let service = StoreLocation(path: StoreLocation.servicePath)
    let other = StoreLocation(path: "/x/y.sqlite")
    #expect(service.refusal(forbidden) == .notInGroup)
    #expect(other.refusal(forbidden)?.code == .permission)
    #expect(service.refusal(present) == nil && other.refusal(present) == nil)
    #expect(service.writeRefusal(forbidden) { _ in false }?.remedy == "use sudo")
    #expect(service.writeRefusal(present) { _ in false }?.remedy == "use sudo")
    #expect(service.writeRefusal(present) { _ in true } == nil)
    #expect(other.writeRefusal(forbidden) { _ in true }?.code == .permission)
    #expect(service.writeRefusal(FileLookup { _ in .absent }) { _ in false } == nil)
  }

  @Test("a link to a store is the store: journal and captures are beside the file, however it is spelt")
  func link() throws {
    let folder = TemporaryFolder()
    let store = try folder.write("there/a.sqlite", "")
    let link = folder.path + "/b.sqlite"
    #expect(unsafe symlink(store, link) == 0)
    let location = try StoreLocation.forRecorder(option: link, environment: person)
    #expect(location.path == store && location.journal == folder.path + "/there/a.journal")
    #expect(
      try StoreLocation.forCommands(option: folder.path + "/none.sqlite", environment: person).path.hasSuffix(
        "/none.sqlite"))
  }

  @Test("a person's store is in XDG_STATE_HOME, else below HOME; a relative XDG_STATE_HOME does not count")
  func personal() throws {
    func path(_ values: [String: String]) throws -> String {
      try StoreLocation.forCommands(
        option: nil, environment: ProcessEnvironment(values), files: FileLookup { _ in .absent }
      ).path
    }
    #expect(try path(["HOME": "/home/a", "XDG_STATE_HOME": "/state"]) == "/state/sensord/sensord.sqlite")
    #expect(try path(["HOME": "/home/a"]) == "/home/a/.local/state/sensord/sensord.sqlite")
    #expect(try path(["HOME": "/home/a", "XDG_STATE_HOME": "state"]) == "/home/a/.local/state/sensord/sensord.sqlite")
    #expect(throws: FileError.self) { try path(["HOME": "home/a"]) }
    #expect(try path(["HOME": "/home/a", "XDG_STATE_HOME": ""]) == "/home/a/.local/state/sensord/sensord.sqlite")
    let failure = #expect(throws: FileError.self) { try path([:]) }
    #expect(failure?.code == .unplaced)
  }

  @Test("the recorder of the service writes where systemd says, a person's into their own store")
  func recorder() throws {
    let service = ProcessEnvironment(["STATE_DIRECTORY": "/var/lib/sensord", "HOME": "/"])
    #expect(try StoreLocation.forRecorder(option: nil, environment: service).path == "/var/lib/sensord/sensord.sqlite")
    #expect(try StoreLocation.forRecorder(option: nil, environment: person).path == "/state/sensord/sensord.sqlite")
  }

  @Test("a made-up heart is not recorded into the person's own store")
  func demo() throws {
    #expect(try StoreLocation.forDemo(option: nil, environment: person).path == "/state/sensord/demo.sqlite")
    #expect(try StoreLocation.forDemo(option: "x.sqlite", environment: person).path == "x.sqlite")
  }

  @Test("journal and captures are named after the store, so that two stores can share a folder")
  func companions() {
    #expect(StoreLocation(path: "/a/b.sqlite").journal == "/a/b.journal")
    #expect(StoreLocation(path: "/a/b.sqlite").captures == "/a/b.captures")
    #expect(StoreLocation(path: "/a/b").journal == "/a/b.journal")
  }
}
