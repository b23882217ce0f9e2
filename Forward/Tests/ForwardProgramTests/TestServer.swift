import Centre
import Glibc
import Synchronization
import TestSupport

@testable import sensord_forward

/// PostgreSQL of Debian in a folder of its own, with a socket there and no port. It refuses to run as root, so it is somebody else.
final class TestServer: Sendable {
  let folder: TemporaryFolder
  private let owner: String
  private let log: OutputFile
  let program: StartedProgram
  private let port: Int
  var socket: String { folder.path + "/socket" }

  static let binaries = "/usr/lib/postgresql/15/bin"

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Starts a new server, or another one with the data of one that was killed; `options` are more words for it, `locales` a folder of
  /// languages that it speaks.
  init(
    _ former: TestServer? = nil, standbyOf primary: TestServer? = nil, port: Int = 5432, options: [String] = [],
    locales: String? = nil
  ) throws {
    self.port = port
    folder = former?.folder ?? TemporaryFolder(inMemory: true)
    owner = unsafe getpwnam("postgres") == nil ? "nobody" : "postgres"
    log = try OutputFile()
    if former == nil {
      unsafe chmod(folder.path, 0o711)
      for name in ["data", "socket"] {
        let path = "\(folder.path)/\(name)"
        unsafe mkdir(path, 0o700)
        if geteuid() == 0 {
          let entry = unsafe getpwnam(owner)
          guard let entry = unsafe entry else { throw Failure(description: "there is no user \(owner)") }
          unsafe chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
      }
      unsafe chmod("\(folder.path)/socket", 0o755)
      let data = "\(folder.path)/data"
      let copy = primary.map { primary in
        ["pg_basebackup", "-D", data, "-h", primary.socket, "-U", "owner", "-R", "-c", "fast", "--no-sync"]
      }
      let made = try Self.start(
        copy.map { ["\(Self.binaries)/\($0[0])"] + $0.dropFirst() } ?? [
          "\(Self.binaries)/initdb", "-D", "\(folder.path)/data", "-U", "owner", "-A", "trust", "-E", "UTF8",
          "--no-locale", "-N",
        ],
        as: owner, log)
      guard made.wait() == 0 else { throw Failure(description: log.text) }
    }
    program = try Self.start(
      [
        "\(Self.binaries)/postgres", "-D", "\(folder.path)/data", "-k", "\(folder.path)/socket",
        "-p", "\(port)", "-c", "listen_addresses=",
        "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=30", "-c", "autovacuum=off",
      ] + options, as: owner, log, locales: locales)
    while true {
      if (try? connect("postgres")) != nil { return }
      guard program.status == nil else { throw Failure(description: log.text) }
      poll(nil, 0, 20)
    }
  }

  deinit {
    program.send(SIGQUIT)
    program.wait()
  }

  /// What it said.
  var said: String { log.text }

  /// Makes a file the server's own, which nobody else may read.
  func give(_ path: String) {
    unsafe chmod(path, 0o600)
    guard geteuid() == 0 else { return }
    let entry = unsafe getpwnam(owner)
    guard let entry = unsafe entry else { return }
    unsafe chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid)
  }

  /// The same data again, after this server was ended.
  func restarted(port: Int = 5432, options: [String] = []) throws -> TestServer {
    while true {
      // The processes of the killed server take a moment to notice.
      do { return try TestServer(self, port: port, options: options) } catch let failure as Failure {
        guard failure.description.contains("shared memory") || failure.description.contains("lock file") else {
          throw failure
        }
        poll(nil, 0, 50)
      }
    }
  }

  private static func start(
    _ words: [String], as owner: String, _ log: OutputFile, locales: String? = nil
  ) throws -> StartedProgram {
    let words =
      geteuid() == 0
      ? ["setpriv", "--reuid=\(owner)", "--regid=\(owner)", "--clear-groups", "--inh-caps=-all"] + words : words
    var environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"]
    environment["LOCPATH"] = locales
    return try StartedProgram(
      words[0], Array(words.dropFirst()), environment: environment,
      output: log.descriptor, errors: log.descriptor)
  }

  /// A connection as the owner of everything.
  func connect(_ database: String, as user: String = "owner") throws -> Database {
    try Database([("host", socket), ("port", "\(port)"), ("dbname", database), ("user", user)])
  }

  /// A new database with the schema, and a login for each gateway.
  func makeCentre(_ name: String, gateways: [String], script: String = CentreSchema.script) throws {
    var all = try connect("postgres")
    try all.run("CREATE DATABASE \(name)")
    var database = try connect(name)
    try database.runScript(script)
    for gateway in gateways { try database.run("CREATE ROLE \"\(gateway)\" LOGIN IN ROLE sensord_gateway") }
  }
}

extension Database {
  /// Runs a statement whose columns are not known here.
  @discardableResult
  mutating func run(_ statement: String) throws(DatabaseFailure) -> Answer {
    try run(statement, [], Shape(nil, rows: Int.max, text: 1 << 30))
  }
}

extension TestServer {
  /// A server of several tests, which lives until they have ended: nothing else would end it then, and its folder is memory.
  static func shared() throws -> TestServer {
    let server = try TestServer()
    SharedServers.all.withLock { $0.append(server) }
    return server
  }
}

private enum SharedServers {
  static let all: Mutex<[TestServer]> = {
    atexit { SharedServers.end() }
    return Mutex([])
  }()

  static func end() {
    for server in all.withLock({ $0 }) {
      server.program.send(SIGQUIT)
      server.program.wait()
      TemporaryFolder.removeTree(server.folder.path)
    }
  }
}
