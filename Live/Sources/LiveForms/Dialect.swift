internal import FoundationEssentials
public import LivePulse

/// What a WebSocket speaks.
public enum Dialect: String, Sendable, CaseIterable {
  /// The hub's own JSON; see ``Event``.
  case sensord
  /// `{"bpm":72,"latest_rr_ms":833}`, as iron-heart sends it. Without a value nothing is sent.
  case ironHeart = "iron-heart"
  /// HypeRate's messages of a channel. Without a value nothing is sent.
  case hypeRate = "hyperate"

  /// What to send of a change; nil for nothing. `topic` is that which a HypeRate client has joined.
  public func message(_ shown: Shown, topic: String? = nil) -> String? {
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

/// A message of a client of a Phoenix channel, which is what HypeRate's clients are.
public struct PhoenixMessage: Sendable {
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

  /// Nil for what is none.
  public init?(_ text: String) {
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)) else { return nil }
    self.content = content
  }

  /// The channel that the client joins: `hr:` and a name.
  public var joined: String? {
    content.event == "phx_join" && content.topic.hasPrefix("hr:") ? content.topic : nil
  }

  /// Whether the client leaves its channel.
  public var isLeaving: Bool { content.event == "phx_leave" }

  /// What the client is answered; nil where it expects nothing.
  public var reply: String? {
    guard joined != nil || isLeaving || content.event == "heartbeat" else { return nil }
    return #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":\#(content.ref?.json ?? "null"),"#
      + #""topic":\#(JSONText.quoted(content.topic))}"#
  }
}
