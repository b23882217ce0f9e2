import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

/// An older copy that is put in the store's place while the forwarder sleeps.
@Suite("A store that is replaced while the forwarder waits", .serialized)
struct ReplacedStoreTests {
  private static let shared = Result { try TestServer.shared() }
  let server: TestServer

  init() throws { server = try Self.shared.get() }

  enum Way: String, CaseIterable { case copied, copiedClean, moved, movedLog }

  @Test(
    "an older copy is noticed without a new commit, however it comes there, and what is recorded then arrives; nothing wakes after that",
    arguments: Way.allCases)
  func replaced(_ way: Way) async throws {
    let gateway = try TestGateway(on: server, centre: "replaced\(way.rawValue.lowercased())")
    let folder = gateway.folder
    let former = try gateway.open()
    try await gateway.record(1, into: former)
    let (main, log) = (folder.bytes(of: "store.sqlite"), folder.bytes(of: "store.sqlite-wal"))
    let waiting = try WaitingForwarder(of: gateway)
    defer { waiting.end() }
    try await gateway.record(3, first: 1, into: former)
    try gateway.wait("SELECT (sent = last AND last > 6)::integer FROM sensord_gateway")
    await former.close()
    func clean() { for ending in ["-wal", "-shm"] { unsafe unlink(folder.store + ending) } }
    // With its log, since a commit is there first.
    switch way {
    case .copied:
      try folder.write("store.sqlite", main)
      try folder.write("store.sqlite-wal", log)
    case .copiedClean:
      clean()
      try folder.write("store.sqlite-wal", log)
      try folder.write("store.sqlite", main)
    case .moved, .movedLog:
      try folder.write("main", main)
      try folder.write("log", log)
      #expect(unsafe rename("\(folder.path)/main", folder.store) == 0)
      if way == .moved { clean() }
      #expect(unsafe rename("\(folder.path)/log", folder.store + "-wal") == 0)
      unsafe unlink(folder.store + "-shm")
    }
    // A line of its own, of which all was there.
    try gateway.wait("SELECT (count(*) = 2)::integer FROM sensord_gateway WHERE sent = last")
    let store = try gateway.open()
    try await gateway.record(1, first: 9, into: store)
    try gateway.wait("SELECT (count(*) = 5)::integer FROM sensord_session")
    try gateway.wait("SELECT (count(*) = 2)::integer FROM sensord_gateway WHERE sent = last")
    let figures = ProcessFigures(waiting.program)
    var before = try figures.switches()
    while true {
      poll(nil, 0, 100)
      let now = try figures.switches()
      if now == before { break }
      before = now
    }
    poll(nil, 0, 1_500)
    #expect(try figures.switches() == before)
    #expect(try gateway.run("status", "--json").output.contains("\"failing\":false"))
    #expect(try gateway.run("verify").status == 0)
  }
}
