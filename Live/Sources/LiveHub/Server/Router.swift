import NIOHTTP1

/// Routes requests. Confined to the hub's loop.
final class Router {
  enum Route {
    case answer(Answer)
    case events(Key)
    case webSocket(Dialect, Key)
    case archive(ArchiveQuestion, Archive, Key)
  }

  let hub: Hub
  let locks: Locks
  let metrics: MetricsOutput
  private let archive: Archive?

  init(hub: Hub, locks: Locks, metrics: MetricsOutput, archive: Archive?) {
    self.archive = archive
    self.hub = hub
    self.locks = locks
    self.metrics = metrics
  }

  /// Returns the route of a request; the checks come before anything else.
  func route(_ head: HTTPRequestHead) -> Route {
    if let refusal = refusal(of: head) { return .answer(refusal) }
    guard let target = Target(head.uri) else { return .answer(Answer(.badRequest, "The address is malformed.\n")) }
    switch target.path {
    // These files hold no data: a page that was let in by a token loads them without it.
    case "/page.css": return .answer(.file(PackageResources.page_css, "text/css"))
    case "/page.js": return .answer(.file(PackageResources.page_js, "text/javascript"))
    case "/sessions.js": return .answer(.file(PackageResources.sessions_js, "text/javascript"))
    case "/open": return .answer(enter(target))
    default: break
    }
    let key = locks.key(
      cookies: head.headers["cookie"], authorizations: head.headers["authorization"], parameter: target["token"],
      at: hub.now)
    guard let key else {
      return .answer(
        Answer(
          .unauthorized,
          "Run 'sensord-live open' for a link that opens this page, or 'sensord-live token add NAME' for a program's token.\n"
        ))
    }
    return open(target, key)
  }

  private func open(_ target: Target, _ key: Key) -> Route {
    switch target.path {
    case "/": return .answer(.file(PackageResources.page_html, "text/html"))
    case "/overlay": return .answer(.file(PackageResources.overlay_html, "text/html"))
    case "/sessions": return .answer(.file(PackageResources.sessions_html, "text/html"))
    case "/openapi.json": return .answer(.file(PackageResources.openapi_json, "application/json"))
    case "/hr": return .answer(rate(format: target["format"]))
    case "/metrics": return .answer(Answer(.ok, type: "text/plain; version=0.0.4; charset=utf-8", metrics.text))
    case "/events": return .events(key)
    case "/ws":
      guard let dialect = Dialect(rawValue: target["dialect"] ?? Dialect.sensord.rawValue) else {
        let all = Dialect.allCases.map(\.rawValue).joined(separator: ", ")
        return .answer(Answer(.badRequest, "There is no such dialect, only \(all).\n"))
      }
      return .webSocket(dialect, key)
    default:
      let question = ArchiveQuestion(
        path: target.path, every: target["every"], offset: target["utc_offset_minutes"])
      guard let archive, let question else { return .answer(Answer(.notFound, "There is nothing here.\n")) }
      return .archive(question, archive, key)
    }
  }

  private func refusal(of head: HTTPRequestHead) -> Answer? {
    guard locks.hosts.allows(hosts: head.headers["host"]) else {
      return Answer(.misdirectedRequest, "This hub does not answer to that name; --host adds one.\n")
    }
    guard locks.hosts.allows(origins: head.headers["origin"]) else {
      return Answer(.forbidden, "Pages from elsewhere may not read here.\n")
    }
    guard head.method == .GET || head.method == .HEAD else {
      var answer = Answer(.methodNotAllowed, "Nothing can be written here.\n")
      answer.fields = [("Allow", "GET, HEAD")]
      return answer
    }
    return Self.hasContent(head) ? Answer(.payloadTooLarge, "Requests have no content here.\n") : nil
  }

  /// Whether content follows the head.
  static func hasContent(_ head: HTTPRequestHead) -> Bool {
    head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].contains { $0 != "0" }
  }

  /// Answers the link that a person opens: sets a cookie, and leads to the page.
  private func enter(_ target: Target) -> Answer {
    guard let code = target["code"], let secret = locks.visitors.enter(with: code, at: hub.now) else {
      return Answer(.forbidden, "This link was used, or is too old; 'sensord-live open' makes a new one.\n")
    }
    var answer = Answer(.seeOther)
    let age = Visitors.cookieLife.components.seconds
    answer.fields = [
      ("Location", "/"),
      ("Set-Cookie", "\(Locks.cookieName)=\(secret.text); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"),
    ]
    return answer
  }

  private func rate(format: String?) -> Answer {
    guard format == nil || format == "json" else { return Answer(.badRequest, "There is no such format, only json.\n") }
    let asJSON = format != nil
    let text = asJSON ? PlainRate.json(hub.shown.pulse) : PlainRate.digits(hub.shown.pulse)
    guard let text else { return Answer(.noContent) }
    return Answer(.ok, type: asJSON ? "application/json" : "text/plain; charset=utf-8", text)
  }
}

/// The answer to a request, except for streams.
struct Answer {
  var status: HTTPResponseStatus
  var type = "text/plain; charset=utf-8"
  var body: [UInt8] = []
  var fields: [(String, String)] = []

  init(_ status: HTTPResponseStatus, type: String = "text/plain; charset=utf-8", _ text: String = "") {
    self.status = status
    self.type = type
    body = Array(text.utf8)
  }

  static func file(_ bytes: [UInt8], _ type: String) -> Answer {
    var answer = Answer(.ok, type: "\(type); charset=utf-8")
    answer.body = bytes
    return answer
  }

  /// The header fields of all answers: nothing is cached, and a page of the hub loads from the hub alone.
  static let commonFields: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}

extension ArchiveAnswer {
  var answer: Answer {
    switch self {
    case .json(let bytes):
      var answer = Answer(.ok, type: "application/json")
      answer.body = bytes
      return answer
    case .notFound: return Answer(.notFound, "There is no such recording.\n")
    case .wrong(let text): return Answer(.badRequest, "\(text)\n")
    case .tooMany(let text):
      var answer = Answer(.tooManyRequests, "\(text)\n")
      answer.fields = [("Retry-After", "1")]
      return answer
    case .unavailable(let text):
      var answer = Answer(.serviceUnavailable, "\(text)\n")
      answer.fields = [("Retry-After", "5")]
      return answer
    }
  }
}
