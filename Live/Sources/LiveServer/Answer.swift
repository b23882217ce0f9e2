internal import NIOHTTP1

/// What a request is answered, except for streams.
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

  /// Sent with everything: nothing is kept, and a page of the hub loads from the hub alone.
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
