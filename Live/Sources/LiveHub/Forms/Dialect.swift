import FoundationEssentials

/// The dialects of messages over WebSockets.
enum Dialect: String, Sendable, CaseIterable {
  /// The hub's own JSON; see ``Event``.
  case sensord
  /// `{"bpm":72,"latest_rr_ms":833}`, as iron-heart sends it. Without a value nothing is sent.
  case ironHeart = "iron-heart"
  /// HypeRate's messages of a channel. Without a value nothing is sent.
  case hypeRate = "hyperate"

  /// The message for a change; nil where the dialect sends nothing. `topic` is the channel that a HypeRate client has joined.
  func message(_ shown: Shown, topic: String? = nil) -> String? {
    switch self {
    case .sensord: return Event.json(shown)
    case .ironHeart:
      guard case .value(let reading) = shown.pulse else { return nil }
      let interval = reading.lastIntervalMilliseconds.map { #","latest_rr_ms":\#($0)"# } ?? ""
      return #"{"bpm":\#(reading.beatsPerMinute)\#(interval)}"#
    case .hypeRate:
      guard case .value(let reading) = shown.pulse, let topic else { return nil }
      return
        #"{"event":"hr_update","payload":{"hr":\#(reading.beatsPerMinute)},"ref":null,"topic":\#(JSONText.quoted(topic))}"#
    }
  }
}

/// A message of a client of a Phoenix channel. HypeRate's clients speak this protocol.
struct PhoenixMessage: Sendable {
  private struct Content: Decodable {
    var topic: String
    var event: String
    var ref: Reference?
  }
  /// A text or a number, which the answer repeats.
  private enum Reference: Decodable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var json: String {
      switch self {
      case .number(let number): "\(number)"
      case .text(let text): JSONText.quoted(text)
      }
    }
  }

  private let content: Content

  /// Nil for a text that is not such a message.
  init?(_ text: String) {
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)) else { return nil }
    self.content = content
  }

  /// The channel that the client joins: `hr:` and a name.
  var joined: String? {
    content.event == "phx_join" && content.topic.hasPrefix("hr:") ? content.topic : nil
  }

  /// Whether the client leaves its channel.
  var isLeaving: Bool { content.event == "phx_leave" }

  /// The answer to the client; nil where the client expects none.
  var reply: String? {
    guard joined != nil || isLeaving || content.event == "heartbeat" else { return nil }
    return #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":\#(content.ref?.json ?? "null"),"#
      + #""topic":\#(JSONText.quoted(content.topic))}"#
  }
}

/// The hub's own JSON, one object for each change, as `/events` and `/ws` send it.
///
/// `{"state":"measuring","sequence":7,"sensor":"C0:FF:EE:00:00:01","bpm":72,"rr_ms":[832.0],"time_ms":1795476000123,`
/// `"uncertainty_ms":1000,"gap":false}`; without a value `bpm` is null and what belongs to a value is left out.
enum Event {
  /// The greatest time between the last beat of a value and its arrival. Sensors send about once a second.
  static let uncertaintyMilliseconds = 1000

  static func json(_ shown: Shown) -> String {
    let head = #"{"state":"\#(shown.pulse.state)","sequence":\#(shown.sequence)"#
    guard case .value(let reading) = shown.pulse else {
      let sensor = shown.sensor.map { #","sensor":\#(JSONText.quoted($0))"# } ?? ""
      return head + sensor + #","bpm":null}"#
    }
    let intervals = reading.rrTicks.map(milliseconds).joined(separator: ",")
    return head + #","sensor":\#(JSONText.quoted(reading.sensor)),"bpm":\#(reading.beatsPerMinute)"#
      + #","rr_ms":[\#(intervals)],"time_ms":\#(reading.microseconds / 1000)"#
      + #","uncertainty_ms":\#(uncertaintyMilliseconds),"gap":\#(reading.precededByGap)}"#
  }

  /// One message of a stream of server-sent events.
  static func serverSent(_ shown: Shown) -> String {
    "id: \(shown.sequence)\ndata: \(json(shown))\n\n"
  }

  /// Milliseconds to the nearest tenth; a tick is almost one millisecond.
  private static func milliseconds(_ ticks: UInt16) -> String {
    let tenths = (Int(ticks) * 10_000 + 512) / 1024
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// The rate alone, for programs that poll it or read a file.
enum PlainRate {
  /// The content of a text file: digits, or a dash.
  static func text(_ pulse: Pulse) -> String { digits(pulse) ?? "-" }

  /// Digits; nil where there is no value.
  static func digits(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return "\(reading.beatsPerMinute)"
  }

  /// `{"bpm":72,"measured_at":1795476000123}`, the time in milliseconds of 1970; nil where there is no value.
  static func json(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return #"{"bpm":\#(reading.beatsPerMinute),"measured_at":\#(reading.microseconds / 1000)}"#
  }
}

/// Texts as they stand in JSON.
enum JSONText {
  /// In quotation marks, with everything escaped that has to be.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{20}"...: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
