import Centre
import FoundationEssentials
import Glibc
import StoreSamples
import TestSupport
import Testing

@testable import sensord_forward

/// Connections that are refused, or do not come about: what a person has to mend, and what passes by itself.
@Suite("Refused connections", .serialized)
struct RefusalTests {
  @Test("a server's SQLSTATE decides, whatever its words; libpq's own words where there is none, not those of a path")
  func messages() {
    let local = "connection to server on socket \"/run/SSL error certificate/.s.PGSQL.5432\" failed: "
    let host = "connection to server at \"db.example\" (192.0.2.1), port 5432 failed: "
    for (message, state, remedy, line) in [
      (
        "\(local)FATAL:  28P01: Passwort-Authentifizierung fehlgeschlagen\nORT:  auth_failed, auth.c:326\n", "28P01",
        .person, "\(local)Passwort-Authentifizierung fehlgeschlagen (SQLSTATE 28P01)"
      ),
      ("\(host)FATAL:  3D000: x\nDETAIL:  y\nLOCATION:  z\n", "3D000", .person, "\(host)x (SQLSTATE 3D000)"),
      ("\(host)SCHWERWIEGEND:  57P03: password certificate\n", "57P03", .retry, nil),
      ("\(host)FATAL:  53300: too many connections for role\n", "53300", .retry, nil),
      (
        "\(local)No such file or directory\n\tIs the server running locally?\n", nil, .retry,
        "\(local)No such file or directory; Is the server running locally?"
      ),
      ("\(host)SSL SYSCALL error: EOF detected\n", nil, .retry, nil),
      ("\(host)SSL error: unexpected eof while reading\n", nil, .retry, nil),
      ("\(host)could not send SSL negotiation packet: Broken pipe\n", nil, .retry, nil),
      ("\(host)SSL error: certificate verify failed\n", nil, .person, nil),
      ("\(host)server does not support SSL, but SSL was required\n", nil, .person, nil),
      ("\(host)server certificate for \"a\" does not match host name \"b\"\n", nil, .person, nil),
      ("\(host)fe_sendauth: no password supplied\n", nil, .person, nil),
      ("could not translate host name \"certificate\" to address: x\n", nil, .retry, nil),
      // One of two hosts is gone, the other refuses, in either order.
      ("\(host)Connection refused\n\(host)FATAL:  28000: x\nORT:  y\n", "28000", .person, nil),
      ("\(host)FATAL:  28000: x\nORT:  y\n\(host)FATAL:  57P03: x\n", "28000", .person, nil),
      ("\(host)Connection refused\n\(host)session is read-only\n", nil, .retry, nil),
    ] as [(String, String?, DatabaseFailure.Remedy, String?)] {
      let failure = DatabaseFailure(connecting: message)
      #expect(failure.state == state && failure.remedy == remedy, "\(message) \(failure)")
      #expect(!failure.message.contains("\n") && !failure.message.contains("ORT:") && failure.isConnecting)
      if let line { #expect(failure.message == line) }
    }
  }

  @Test("waiting doubles up to a limit, with a part by chance, and begins anew after a success")
  func backoff() {
    var backoff = Backoff(first: 100, most: 1_000)
    var random = SystemRandomNumberGenerator()
    for step in [100, 200, 400, 800, 1_000, 1_000] {
      let wait = backoff.fail(using: &random)
      #expect((step / 2...step).contains(wait), "\(step)")
    }
    for _ in 0..<100 { #expect(backoff.fail(using: &random) <= 1_000) }
    backoff.succeed()
    #expect(backoff.fail(using: &random) <= 100)
  }

  private static let hasGerman = [
    "/usr/share/i18n/locales/de_DE", "/usr/share/locale/de/LC_MESSAGES/postgres-15.mo",
  ].allSatisfy { (path: String) in unsafe access(path, R_OK) == 0 }

  @Test("a server that speaks German is understood", .enabled(if: hasGerman))
  func german() async throws {
    let locales = TemporaryFolder()
    unsafe chmod(locales.path, 0o755)
    let errors = try OutputFile()
    let made = try StartedProgram(
      "/usr/bin/localedef", ["-i", "de_DE", "-f", "UTF-8", "--no-archive", "\(locales.path)/de_DE.UTF-8"],
      output: errors.descriptor, errors: errors.descriptor)
    try #require(made.wait() == 0, "\(errors.text)")
    let server = try TestServer(options: ["-c", "lc_messages=de_DE.UTF-8"], locales: locales.path)
    let gateway = try TestGateway(on: server, centre: "german")
    try await gateway.record(1, into: try gateway.open())
    func refusal(_ status: Int32, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let found = try gateway.run("run", "--once", "--attempts", "1")
      #expect(found.status == status && found.errors.contains(words), "\(found)", sourceLocation: sourceLocation)
      #expect(found.errors.split(separator: "\n").count == 1 && !found.errors.contains("ORT:"), "\(found)")
    }
    try gateway.configure(centre: "nowhere")
    try refusal(77, "existiert nicht (SQLSTATE 3D000)")
    try gateway.configure(more: "[centre]")
    _ = try gateway.rows("ALTER ROLE german_gateway CONNECTION LIMIT 0")
    try refusal(75, "(SQLSTATE 53300)")
    _ = try gateway.rows("ALTER ROLE german_gateway CONNECTION LIMIT -1 NOLOGIN PASSWORD 'right'")
    try refusal(77, "(SQLSTATE 28000)")
    _ = try gateway.rows("ALTER ROLE german_gateway LOGIN")
    try gateway.forward()
    try "local all owner trust\nlocal all all scram-sha-256\n".write(
      toFile: "\(server.folder.path)/data/pg_hba.conf", atomically: false, encoding: .utf8)
    _ = try gateway.rows("SELECT pg_reload_conf()")
    while (try? server.connect("german", as: gateway.name)) != nil { poll(nil, 0, 10) }
    let password = try gateway.folder.write("password", "wrong\n")
    unsafe chmod(password, 0o600)
    try gateway.configure(more: "[centre]\npassword-file = \(password)")
    try refusal(77, "fehlgeschlagen (SQLSTATE 28P01)")
    try gateway.configure()
    try refusal(77, "set password-file in [centre]")
  }

  @Test("a connection that ends while TLS begins is tried again: it is no refusal")
  func cutTLS() async throws {
    let gateway = try TestGateway(on: try TestServer(), centre: "cut")
    try await gateway.record(1, into: try gateway.open())
    let output = try OutputFile()
    let script = """
      import socket
      listener = socket.create_server(('127.0.0.1', 0))
      print(listener.getsockname()[1], flush=True)
      while True:
        one, _ = listener.accept()
        one.recv(8); one.sendall(b'S'); one.recv(1); one.close()
      """
    let program = try StartedProgram(
      "/usr/bin/python3", ["-c", script], output: output.descriptor, errors: output.descriptor)
    defer {
      program.send(SIGKILL)
      program.wait()
    }
    while !output.text.contains("\n") { poll(nil, 0, 10) }
    try gateway.configure(host: "localhost", more: "[centre]\nport = \(output.text.prefix { $0 != "\n" })")
    let cut = try gateway.run("run", "--once", "--attempts", "1")
    #expect(cut.status == 75 && cut.errors.contains("SSL") && cut.errors.contains("nothing is lost"), "\(cut)")
  }
}
