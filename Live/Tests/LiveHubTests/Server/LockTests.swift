import Glibc
import TestSupport
import Testing

@testable import LiveHub

@Suite("Doors of the hub", .timeLimit(.minutes(2)))
struct LockTests {
  private static let targets = [
    "/", "/overlay", "/hr", "/hr?format=json", "/metrics", "/events", "/ws", "/nothing", "/openapi.json",
    "/recordings", "/workouts", "/sleep", "/events?sensors=all", "/api/now", "/api/sessions", "/api/workouts",
    "/api/nights",
    "/../tokens", "/%2e%2e/tokens",
    "//etc/passwd", "/page.js/../hr",
  ]

  @Test("nothing is read without a key, whatever is asked for", arguments: targets)
  func locked(target: String) throws {
    let stage = try Stage()
    try stage.happens(.subscribed)
    try stage.measures(137)
    for fields in [
      [], ["Authorization: Bearer 00"], ["Authorization: Basic \(try stage.token())"], ["Cookie: sensord-live="],
      ["Cookie: other=1; sensord-live=\(String(repeating: "0", count: 64))"], Stage.upgrade,
    ] {
      let reply = try stage.answer(target, fields)
      #expect(reply.status == 401)
      #expect(!reply.body.contains("137"))
    }
  }

  @Test("a token that is almost right opens nothing, however many are tried")
  func guesses() throws {
    let stage = try Stage()
    let token = try stage.token()
    let near = token.indices.map { index in
      token[..<index] + (token[index] == "0" ? "1" : "0") + token[token.index(after: index)...]
    }
    for guess in near + ["", "0", token.dropLast() + "", token + "0", token.uppercased() + "G", "%00" + token] {
      #expect(try stage.answer("/hr?token=\(guess)").status == 401)
    }
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
    for field in ["Cookie: sensord-live=\(token)", "Authorization: Bearer  \(token)", "Authorization: \(token)"] {
      #expect(try stage.answer("/hr", [field]).status == 401)
    }
    #expect(try stage.answer("/open?code=\(token)").status == 403)
  }

  @Test(
    "a key opens no file, by whatever path",
    arguments: [
      "/../tokens", "/%2e%2e/tokens", "/..%2ftokens", "//tokens", "/page.js/../tokens", "/page.css%00", "/PAGE.JS",
      "/./",
      "/api/sessions/../tokens/beats", "/api/sessions/%2e%2e/beats", "/tokens",
    ])
  func traversal(target: String) throws {
    let stage = try Stage()
    let token = try stage.token("secretname")
    let reply = try stage.answer(target, ["Authorization: Bearer \(token)"])
    #expect([400, 404].contains(reply.status) && !reply.body.contains("secretname"))
  }

  @Test("a token opens, in a header or in the address, until it is revoked")
  func token() throws {
    let stage = try Stage()
    try stage.happens(.subscribed)
    try stage.measures(137)
    let token = try stage.token("game")
    let stream = try stage.peer()
    stream.say(stage.request("/events?token=\(token)"))
    try stream.until("137")
    #expect(try stage.answer("/hr", ["Authorization: Bearer \(token)"]).body == "137")
    #expect(try stage.answer("/hr", ["authorization: bearer \(token)"]).body == "137")
    #expect(try stage.answer("/hr?token=\(token)").body == "137")
    #expect(try stage.answer("/hr?token=\(token.dropLast())").status == 401)
    #expect(try stage.ask("list") == ["ok", "game"])
    #expect(try stage.ask("revoke game") == ["ok"])
    #expect(try stage.answer("/hr?token=\(token)").status == 401)
    // What it had opened ends, too.
    #expect(try stream.toEnd().contains("137"))
    #expect(try stage.ask("list") == ["ok"])
  }

  @Test("tokens outlive the hub, in a file for its user alone that holds none of them")
  func kept() throws {
    var stage = try Stage()
    let token = try stage.token()
    #expect(stage.folder.mode(of: "tokens") == 0o600)
    let bytes = stage.folder.bytes(of: "tokens")
    #expect(!String(decoding: bytes, as: UTF8.self).contains(token))
    let folder = stage.folder
    stage.stop()
    stage = try Stage { $0.stateFolder = folder.path }
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
  }

  @Test("a link makes a cookie of its own, once, which no script and no other page can use")
  func link() throws {
    let stage = try Stage()
    let link = try #require(try stage.ask("open").last)
    let prefix = "http://\(stage.place)"
    #expect(link.hasPrefix(prefix + "/open?code="))
    let target = String(link.dropFirst(prefix.count))
    let entered = try stage.answer(target)
    #expect(entered.status == 303)
    #expect(entered["Location"] == "/")
    let cookie = try #require(entered["Set-Cookie"])
    let attributes = cookie.split(separator: ";").map { $0.drop { $0 == " " } }
    #expect(attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict") && attributes.contains("Path=/"))
    let page = try stage.answer("/", ["Cookie: a=b; \(attributes[0])"])
    #expect(page.status == 200)
    #expect(page["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.body.contains("<title>"))
    #expect(try stage.answer("/", ["Cookie: \(attributes[0]); \(attributes[0])"]).status == 401)
    #expect(try stage.answer(target).status == 403)
  }

  @Test("a name that leads here by somebody else's doing is none of the hub's")
  func rebinding() throws {
    let stage = try Stage { $0.hosts = ["heart.example"] }
    let token = try stage.token()
    for host in ["evil.example", "evil.example:\(stage.port)", "127.0.0.1", "localhost:1"] {
      #expect(try stage.answer("/hr?token=\(token)", host: host).status == 421)
    }
    for host in ["localhost:\(stage.port)", "[::1]:\(stage.port)", "heart.example"] {
      #expect(try stage.answer("/hr?token=\(token)", host: host).status == 204)
    }
  }

  @Test("other pages of the same browser are refused, also as WebSockets, and with a key")
  func origins() throws {
    let stage = try Stage()
    let token = try stage.token()
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://\(stage.place)"] {
      #expect(try stage.answer("/hr?token=\(token)", ["Origin: \(origin)"]).status == 403)
      #expect(try stage.answer("/ws?token=\(token)", Stage.upgrade + ["Origin: \(origin)"]).status == 403)
      let post = try stage.answer("/hr?token=\(token)", ["Origin: \(origin)", "Content-Length: 0"], method: "POST")
      #expect(post.status == 403)
    }
    #expect(try stage.answer("/hr?token=\(token)", ["Origin: http://\(stage.place)"]).status == 204)
    #expect(try stage.answer("/hr?token=\(token)")["Access-Control-Allow-Origin"] == nil)
  }

  @Test("nothing can be written, and no request has content")
  func writing() throws {
    let stage = try Stage()
    let token = try stage.token()
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
      #expect(try stage.answer("/hr?token=\(token)", ["Content-Length: 0"], method: method).status == 405)
    }
    #expect(try stage.answer("/hr?token=\(token)", ["Content-Length: 1000000000"]).status == 413)
    #expect(try stage.answer("/hr?token=\(token)", ["Transfer-Encoding: chunked"]).status == 413)
  }

  @Test("everything is sent with a policy that lets no foreign script in")
  func policy() throws {
    let stage = try Stage()
    let token = try stage.token()
    for target in ["/?token=\(token)", "/overlay?token=\(token)", "/page.js", "/page.css", "/hr?token=\(token)", "/no"]
    {
      let reply = try stage.answer(target)
      let policy = try #require(reply["Content-Security-Policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"))
      #expect(!policy.contains("unsafe"))
      #expect(reply["X-Content-Type-Options"] == "nosniff")
      #expect(reply["Cache-Control"] == "no-store")
      // Neither a script nor a style of the page's own would run.
      #expect(!reply.body.contains("<script>") && !reply.body.contains("style=") && !reply.body.contains("onclick="))
    }
  }

  @Test(
    "the hub's own socket says what is wrong with a line",
    arguments: [
      ("", "64"), ("dance", "64"), ("open now", "64"), ("add", "64"), ("add a/b", "64"), ("revoke nobody", "66"),
    ])
  func control(line: String, status: String) throws {
    let answer = try Stage().ask(line)
    #expect(answer.count == 3 && answer[0] == "error" && answer[1] == status)
  }

  @Test("a port that is taken is one line that says what to do")
  func taken() throws {
    let stage = try Stage()
    let port = stage.port
    let failure = #expect(throws: LiveFailure.self) { _ = try Stage { $0.port = port } }
    #expect(failure?.status == .unavailable)
    #expect(
      failure?.message
        == "127.0.0.1 port \(port) cannot be listened on: Address already in use; choose another with --listen")
  }

  @Test("a list of tokens that is damaged is one line that says where")
  func damaged() throws {
    let stage = try Stage()
    let folder = stage.folder
    try folder.write("tokens", "a\n")
    let failure = #expect(throws: LiveFailure.self) { _ = try Stage { $0.stateFolder = folder.path } }
    #expect(
      failure == LiveFailure(.badData, "line 1 of \(folder.path)/tokens is no token; delete that line, or the file"))
  }
}
