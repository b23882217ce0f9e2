import Centre
import FoundationEssentials
import Glibc
import SeriesStore
import TestSupport
import Testing

@testable import sensord_forward

/// The program and a server that is reached by a host's name, with certificates of the tests' own authority.
@Suite("Forwarding over a network", .serialized)
struct NetworkTests {
  private let folder = TemporaryFolder()

  /// Makes two authorities, and certificates of this host, of another, and of this host, but expired: only `ca` takes a day in the
  /// past.
  private func makeCertificates() throws {
    let script = """
      set -e; cd "$1"
      key() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$2" "${@:3}"; }
      key authority 'test authority' -x509 -out authority.crt -days 3650
      key stranger 'another authority' -x509 -out stranger.crt -days 3650
      printf '[ca]\\ndefault_ca=a\\n[a]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\npolicy=p\\ndefault_md=sha256\\n' > ca.conf
      printf 'certificate=authority.crt\\nprivate_key=authority.key\\nunique_subject=no\\n[p]\\ncommonName=supplied\\n' >> ca.conf
      : > index; echo 01 > serial
      sign() {
        key "$1" "$2" -out "$1.csr"
        printf 'subjectAltName=DNS:%s' "$2" > extension
        openssl ca -batch -config ca.conf -extfile extension -in "$1.csr" -out "$1.crt" -notext "${@:3}"
      }
      sign good localhost -days 3650
      sign other elsewhere.example -days 3650
      sign expired localhost -startdate 20200101000000Z -enddate 20200201000000Z
      """
    let errors = try OutputFile()
    let made = try StartedProgram(
      "/bin/bash", ["-c", script, "bash", folder.path], environment: ["PATH": "/usr/bin:/bin"],
      output: errors.descriptor, errors: errors.descriptor)
    #expect(made.wait() == 0, "\(errors.text)")
  }

  /// A port that nobody has.
  private func freePort() -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe bind(socket, $0, length)
        _ = unsafe getsockname(socket, $0, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  @Test(
    "a host that is not who it says, and a wrong password, are refused in one line; what is said once is not said again"
  )
  func identity() async throws {
    try makeCertificates()
    let port = freePort()
    func options(_ certificate: String?) -> [String] {
      var words = ["-c", "listen_addresses=127.0.0.1"]
      if let certificate {
        words += ["-c", "ssl=on"]
        for (name, end) in [("ssl_cert_file", "crt"), ("ssl_key_file", "key")] {
          words += ["-c", "\(name)=\(server.folder.path)/data/\(certificate).\(end)"]
        }
      }
      return words
    }
    var server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "network")
    _ = try gateway.rows("ALTER ROLE network_gateway PASSWORD 'correct horse'")
    let store = try gateway.open()
    try await gateway.record(1, into: store)
    for name in folder.names where name.hasSuffix(".key") || name.hasSuffix(".crt") {
      let path = "\(server.folder.path)/data/\(name)"
      try server.folder.write("data/\(name)", folder.bytes(of: name))
      server.give(path)
    }
    try server.folder.write(
      "data/pg_hba.conf", "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    server.give("\(server.folder.path)/data/pg_hba.conf")
    try folder.write("password", "correct horse\n")
    try folder.write("wrong", "incorrect\n")
    for name in ["password", "wrong"] { unsafe chmod("\(folder.path)/\(name)", 0o600) }
    func configure(password: String? = "password", authority: String = "authority.crt") throws {
      let file = password.map { "password-file = \(folder.path)/\($0)" } ?? ""
      try gateway.configure(
        host: "localhost",
        more: "[centre]\nport = \(port)\nauthority = \(folder.path)/\(authority)\n\(file)")
    }
    func restart(_ certificate: String?) throws {
      server.program.send(SIGINT)
      server.program.wait()
      server = try server.restarted(port: port, options: options(certificate))
    }
    func refusal(_ words: String, _ status: Int32 = 77, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let outcome = try gateway.run("run", "--once")
      #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)", sourceLocation: sourceLocation)
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)", sourceLocation: sourceLocation)
      #expect(!outcome.errors.contains("horse"), sourceLocation: sourceLocation)
    }
    try configure()
    try restart(nil)
    try refusal("does not support SSL")
    try restart("other")
    try refusal("does not match host name")
    try restart("expired")
    try refusal("certificate verify failed")
    try restart("good")
    try configure(authority: "stranger.crt")
    try refusal("certificate verify failed")
    try configure(authority: "missing.crt")
    try refusal("missing.crt", 78)
    try refusal("authority in [centre]", 78)
    try configure(password: "wrong")
    try refusal("password authentication failed")
    // It tries again, and says it once.
    let errors = try OutputFile()
    let program = try gateway.start(["run"], output: try OutputFile(), errors: errors)
    let before = server.said.split(separator: "password authentication failed").count
    while server.said.split(separator: "password authentication failed").count < before + 2 { poll(nil, 0, 20) }
    program.send(SIGKILL)
    program.wait()
    #expect(errors.text.split(separator: "\n").count == 1 && errors.text.contains("trying again"), "\(errors.text)")
    // Right from a file, and as a credential of the unit.
    try configure()
    try gateway.forward()
    // Nothing of the home folder decides, not even what libpq would refuse.
    unsafe mkdir("\(folder.path)/.postgresql", 0o700)
    for (name, other) in [("good.crt", "postgresql.crt"), ("good.key", "postgresql.key"), ("good.key", "root.crl")] {
      try folder.write(".postgresql/\(other)", folder.bytes(of: name))
      unsafe chmod("\(folder.path)/.postgresql/\(other)", 0o644)
    }
    let output = try OutputFile()
    let atHome = try gateway.start(["status"], environment: ["HOME": folder.path], output: output, errors: output)
    #expect(atHome.wait() == 0, "\(output.text)")
    try configure(password: nil)
    try refusal("set password-file in [centre]")
    let verified = try gateway.run("verify", credentials: folder.path)
    #expect(verified.status == 0, "\(verified)")
    unsafe chmod("\(folder.path)/password", 0o644)
    let open = try gateway.run("verify", credentials: folder.path)
    #expect(open.status == 78 && open.errors.contains("chmod o-rwx"), "\(open)")
  }

  @Test(
    "the server gives up a connection that was lost without a word before two minutes, and the gateway's row with it")
  func lost() throws {
    let port = freePort()
    let server = try TestServer(port: port, options: ["-c", "listen_addresses=127.0.0.1"])
    try server.makeCentre("lost", gateways: ["lost_gateway"])
    let settings = try Settings("[centre]\nhost = 127.0.0.1\nport = \(port)\ndatabase = lost\nuser = lost_gateway\n")
    // This server has no certificate.
    var database = try Database(settings.connection(password: nil).filter { !$0.keyword.hasPrefix("ssl") })
    func setting(_ name: String) throws -> Int {
      // As the kernel has it: on a socket of this machine each is 0.
      try Int(database.run("SELECT setting FROM pg_settings WHERE name = '\(name)'").rows[0][0] ?? "") ?? 0
    }
    let idle = try setting("tcp_keepalives_idle")
    let silence = try idle + setting("tcp_keepalives_interval") * setting("tcp_keepalives_count")
    #expect(idle > 0 && silence <= 90, "\(silence)")
    #expect(try (1...90_000).contains(setting("tcp_user_timeout")))
    // A slow link is no lost one: an idle transaction has no limit, and a statement as much time as half a MiB takes at 1 kB/s.
    #expect(try setting("idle_in_transaction_session_timeout") == 0)
    #expect(try setting("statement_timeout") >= 1_200_000)
  }

  @Test("a connection that is cut again and again brings all that there is, since each brings something")
  func cuts() async throws {
    let server = try TestServer()
    let gateway = try TestGateway(on: server, centre: "cuts")
    let store = try gateway.open()
    try await gateway.record(120, into: store)
    let script = #filePath.replacing("ForwardProgramTests/NetworkTests.swift", with: "proxy.py")
    let said = try OutputFile()
    let proxy = try StartedProgram(
      "/usr/bin/python3",
      [script, "\(folder.path)/.s.PGSQL.5432", "\(server.socket)/.s.PGSQL.5432", "300000"],
      output: said.descriptor, errors: said.descriptor)
    defer {
      proxy.send(SIGKILL)
      proxy.wait()
    }
    while !folder.names.contains(".s.PGSQL.5432") {
      try #require(said.text.isEmpty)
      poll(nil, 0, 10)
    }
    try gateway.configure(host: folder.path)
    let forwarded = try gateway.run("run", "--once")
    #expect(forwarded.status == 0, "\(forwarded)")
    #expect(try gateway.number("SELECT count(*) FROM sensord_session") == 120)
  }
}
