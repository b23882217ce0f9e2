import Glibc
import NIOHTTP1

/// Routes requests. Confined to the hub's loop.
final class Router {
  enum Route {
    case answer(Answer)
    /// Of all sensors, or of the one that is shown.
    case events(Key, ofRoom: Bool)
    case webSocket(Dialect, Key)
    case room(columns: Int, Archive?, Key)
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
    case "/open": return .answer(enter(target))
    // A page that was let in by a token loads its files without it: they hold no data.
    case let path: if let file = PageFile.open[path] { return .answer(file.answer) }
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
    case "/hr": return .answer(rate(format: target["format"]))
    case "/metrics": return .answer(Answer(.ok, type: "text/plain; version=0.0.4; charset=utf-8", metrics.text))
    case "/events":
      guard let sensors = target["sensors"] else { return .events(key, ofRoom: false) }
      guard sensors == "all" else { return .answer(Answer(.badRequest, "There is only sensors=all.\n")) }
      return .events(key, ofRoom: true)
    case "/api/now":
      guard let columns = ArchiveQuestion.columns(target["columns"]) else { return .answer(.nothing) }
      return .room(columns: columns, archive, key)
    case "/ws":
      guard let dialect = Dialect(rawValue: target["dialect"] ?? Dialect.sensord.rawValue) else {
        let all = Dialect.allCases.map(\.rawValue).joined(separator: ", ")
        return .answer(Answer(.badRequest, "There is no such dialect, only \(all).\n"))
      }
      return .webSocket(dialect, key)
    default:
      if let file = PageFile.closed[target.path] { return .answer(file.answer) }
      guard let archive, let question = ArchiveQuestion(path: target.path, { target[$0] }) else {
        return .answer(.nothing)
      }
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

  /// All sensors: those that the hub sees, with what the recorder says about them.
  func room(_ entries: [SensorEntry], columns: Int) -> Answer {
    var pulses = Dictionary(hub.members.map { ($0.sensor, $0.pulse) }) { first, _ in first }
    let absence: Absence = hub.hasRecorder ? .linkLost : .noRecorder
    var sensors: [(entry: SensorEntry, state: String, member: Room.Member?)] = []
    for entry in entries {
      if let start = entry.sessionStart { hub.begin(entry.address, at: start) }
      let pulse = pulses.removeValue(forKey: entry.address)
      guard pulse != nil || hub.showsAll else { continue }
      sensors.append((entry, pulse?.state ?? absence.rawValue, hub.room.members[entry.address]))
    }
    for (address, pulse) in pulses.sorted(by: { $0.key < $1.key }) {
      let entry = SensorEntry(address: address, name: nil, battery: nil, sessionStart: nil)
      sensors.append((entry, pulse.state, hub.room.members[address]))
    }
    let form = RoomForm(
      now: Self.wallMilliseconds, hasRecorder: hub.hasRecorder, undecided: hub.undecided, sensors: sensors)
    return Answer(.ok, type: "application/json", form.json(columns: columns))
  }

  private static var wallMilliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
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

  static let nothing = Answer(.notFound, "There is nothing here.\n")

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

/// A file of the page.
struct PageFile: Sendable {
  let bytes: [UInt8]
  let type: String

  var answer: Answer {
    var answer = Answer(.ok, type: "\(type); charset=utf-8")
    answer.body = bytes
    return answer
  }

  private static func script(_ bytes: [UInt8]) -> PageFile { PageFile(bytes: bytes, type: "text/javascript") }
  private static let page = PageFile(bytes: PackageResources.page_html, type: "text/html")

  /// Those that need no key, by their paths.
  static let open: [String: PageFile] = [
    "/page.css": PageFile(bytes: PackageResources.page_css, type: "text/css"),
    "/page.js": script(PackageResources.page_js),
    "/words.js": script(PackageResources.words_js),
    "/chart.js": script(PackageResources.chart_js),
    "/parts.js": script(PackageResources.parts_js),
    "/now.js": script(PackageResources.now_js),
    "/recordings.js": script(PackageResources.recordings_js),
    "/overlay.js": script(PackageResources.overlay_js),
    "/follow.js": script(PackageResources.follow_js),
  ]

  /// Those that need one.
  static let closed: [String: PageFile] = [
    "/": page, "/recordings": page, "/workouts": page, "/sleep": page,
    "/overlay": PageFile(bytes: PackageResources.overlay_html, type: "text/html"),
    "/openapi.json": PageFile(bytes: PackageResources.openapi_json, type: "application/json"),
  ]
}

extension ArchiveAnswer {
  var answer: Answer {
    switch self {
    case .json(let bytes):
      var answer = Answer(.ok, type: "application/json")
      answer.body = bytes
      return answer
    case .notFound, .sensors: return Answer(.notFound, "There is no such recording.\n")
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
