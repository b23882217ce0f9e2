import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// A gateway with a store, and a centre of its own on a server.
final class TestGateway: Sendable {
  let folder = TemporaryFolder()
  let server: TestServer
  let centre: String
  let name: String

  static let strap = "C0:FF:EE:00:00:01"
  static let start = Timestamp(microseconds: 1_714_920_600_000_000)

  init(on server: TestServer, centre: String, name: String? = nil, makesCentre: Bool = true) throws {
    self.server = server
    self.centre = centre
    self.name = name ?? "\(centre)_gateway"
    if makesCentre { try server.makeCentre(centre, gateways: [self.name]) }
    try configure()
  }

  /// Writes the configuration; `more` are lines at its end.
  func configure(
    host: String? = nil, wearer: String = "p001", other: String = "p000", centre: String? = nil, more: String = ""
  ) throws {
    try folder.write(
      "forward.conf",
      """
      [centre]
      host = \(host ?? server.socket)
      database = \(centre ?? self.centre)
      user = \(name)
      [store]
      path = \(folder.store)
      [persons]
      \(Self.strap) = \(wearer)
      other = \(other)
      [status]
      file = \(folder.path)/failure
      \(more)
      """)
  }

  func open() throws -> HealthStore { try HealthStore.open(folder.store, for: .writing) }

  /// Runs lines of Python with the store as `c`, as a program that knows nothing of its checksums; what they print.
  @discardableResult
  func alterStore(_ lines: String) throws -> String {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let program = try StartedProgram(
      "/usr/bin/python3",
      [
        "-c", "import sqlite3, struct, sys; c = sqlite3.connect(sys.argv[1]); exec(sys.argv[2]); c.commit(); c.close()",
        folder.store, lines,
      ], output: output.descriptor, errors: errors.descriptor)
    try #require(program.wait() == 0, "\(errors.text)")
    return output.text
  }

  /// As if the disk were new.
  func removeStore() {
    for ending in ["", "-wal", "-shm"] { unsafe unlink(folder.store + ending) }
  }

  /// Saves sessions, one after the other; their identifiers.
  @discardableResult
  func record(_ count: Int, beats: Int = 300, first: Int = 0, into store: HealthStore) async throws -> [UUID] {
    var identifiers: [UUID] = []
    for index in 0..<count {
      let id = UUID()
      try await SampleSessions.save(
        id, seed: UInt64(first + index + 1), beats: beats,
        start: Self.start.advanced(byMicroseconds: Int64(first + index) * 86_400_000_000), sensor: Self.strap,
        into: store)
      identifiers.append(id)
    }
    return identifiers
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Beside the tests, unless another is named.
  static let program: String = {
    if let other = ProcessInfo.processInfo.environment["SENSORD_FORWARD"] { return other }
    let tests = CommandLine.arguments[0]
    return (tests.lastIndex(of: "/").map { tests[...$0] } ?? "./") + "sensord-forward"
  }()

  /// Starts the program.
  func start(
    _ arguments: [String], by program: String = program, credentials: String? = nil,
    environment: [String: String] = [:], output: OutputFile, errors: OutputFile
  ) throws -> StartedProgram {
    var environment = environment
    environment["PATH"] = "/usr/bin:/bin"
    environment["CREDENTIALS_DIRECTORY"] = credentials
    return try StartedProgram(
      program, arguments + ["--config", "\(folder.path)/forward.conf"], environment: environment,
      output: output.descriptor, errors: errors.descriptor)
  }

  /// Runs the program to its end.
  func run(_ arguments: String..., credentials: String? = nil) throws -> Outcome {
    let (output, errors) = (try OutputFile(), try OutputFile())
    let status = try start(arguments, credentials: credentials, output: output, errors: errors).wait()
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// Forwards everything, and expects that both sides are the same.
  func forward(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let forwarded = try run("run", "--once")
    #expect(forwarded.status == 0, "\(forwarded.errors)", sourceLocation: sourceLocation)
    let verified = try run("verify", "--json")
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)", sourceLocation: sourceLocation)
    #expect(verified.output.contains("\"waiting\":0"), sourceLocation: sourceLocation)
  }

  /// The rows that a statement gives, to the owner of the centre or another.
  func rows(_ statement: String, as user: String = "owner") throws -> [[String?]] {
    var database = try server.connect(centre, as: user)
    return try database.run(statement).rows
  }

  func number(_ statement: String, as user: String = "owner") throws -> Int {
    try Int(rows(statement, as: user).first?[0] ?? "") ?? -1
  }

  /// Waits until a statement gives a number that is not 0.
  func wait(_ statement: String) throws {
    while try number(statement) < 1 { poll(nil, 0, 10) }
  }
}
