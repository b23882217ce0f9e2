import Testing

@testable import LiveHub

@Suite("What outputs say")
struct FormsTests {
  private static let value = Pulse.value(
    Reading(
      sensor: "C0:FF:EE:00:00:01", microseconds: 1_795_476_000_123_456, beatsPerMinute: 72, rrTicks: [853, 850],
      precededByGap: true))

  private static func shown(_ pulse: Pulse) -> Shown { Shown(pulse: pulse, sequence: 7) }

  @Test("without a value no output has one, whatever the reason")
  func table() {
    for absence in Absence.allCases {
      let pulse = Pulse.none(absence)
      #expect(PlainRate.text(pulse) == "-")
      #expect(PlainRate.digits(pulse) == nil)
      #expect(PlainRate.json(pulse) == nil)
      #expect(Event.json(Self.shown(pulse)) == #"{"state":"\#(absence.rawValue)","sequence":7,"bpm":null}"#)
      #expect(Dialect.sensord.message(Self.shown(pulse)) == Event.json(Self.shown(pulse)))
      #expect(Dialect.ironHeart.message(Self.shown(pulse)) == nil)
      #expect(Dialect.hypeRate.message(Self.shown(pulse), topic: "hr:a") == nil)
      var metrics = Metrics()
      metrics.show(Self.value)
      metrics.show(pulse)
      #expect(!metrics.text.contains("sensord_heart_rate_bpm") && !metrics.text.contains("rr_interval"))
      #expect(metrics.text.contains("sensord_connected 0\n"))
      let messages = AvatarParameters.messages(pulse)
      #expect(messages.contains(OSCMessage("/avatar/parameters/isHRConnected", .flag(false))))
      #expect(messages.contains(OSCMessage("/avatar/parameters/VRCOSC/Heartrate/Connected", .flag(false))))
      let isReconnecting = absence != .noRecorder
      #expect(messages.contains(OSCMessage("/avatar/parameters/isHRReconnecting", .flag(isReconnecting))))
      let numbers = messages.compactMap { if case .integer(let number) = $0.argument { number } else { nil } }
      #expect(numbers == [0, 0, 0])
    }
  }

  @Test("a value is an event with its time, intervals and what is not certain of it")
  func event() {
    let json = Event.json(Self.shown(Self.value))
    #expect(
      json == #"{"state":"measuring","sequence":7,"sensor":"C0:FF:EE:00:00:01","bpm":72,"#
        + #""rr_ms":[833.0,830.1],"time_ms":1795476000123,"uncertainty_ms":1000,"gap":true}"#)
    #expect(Event.serverSent(Self.shown(Self.value)) == "id: 7\ndata: \(json)\n\n")
  }

  @Test("a sensor's text cannot leave its quotation marks")
  func hostile() {
    let pulse = Pulse.value(Reading(sensor: "a\"\\\n\u{1}é", microseconds: 0, beatsPerMinute: 1))
    #expect(Event.json(Self.shown(pulse)).contains(#""sensor":"a\"\\\u000a\u0001é","#))
  }

  @Test("programs that poll get digits, or the rate with its time")
  func plain() {
    #expect(PlainRate.text(Self.value) == "72")
    #expect(PlainRate.digits(Self.value) == "72")
    #expect(PlainRate.json(Self.value) == #"{"bpm":72,"measured_at":1795476000123}"#)
  }

  @Test("iron-heart's clients get the rate and the last interval, which is left out where there is none")
  func ironHeart() {
    #expect(Dialect.ironHeart.message(Self.shown(Self.value)) == #"{"bpm":72,"latest_rr_ms":830}"#)
    let plain = Pulse.value(Reading(sensor: "", microseconds: 0, beatsPerMinute: 60))
    #expect(Dialect.ironHeart.message(Self.shown(plain)) == #"{"bpm":60}"#)
  }

  @Test("HypeRate's clients get values on the channel that they joined, and none before")
  func hypeRate() {
    #expect(Dialect.hypeRate.message(Self.shown(Self.value)) == nil)
    #expect(
      Dialect.hypeRate.message(Self.shown(Self.value), topic: "hr:abc")
        == #"{"event":"hr_update","payload":{"hr":72},"ref":null,"topic":"hr:abc"}"#)
  }

  @Test(
    "a Phoenix client is answered with its own reference",
    arguments: [
      (
        #"{"topic":"hr:abc","event":"phx_join","payload":{},"ref":0}"#, "hr:abc",
        #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":0,"topic":"hr:abc"}"#
      ),
      (
        #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"9"}"#, nil,
        #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":"9","topic":"phoenix"}"#
      ),
      (
        #"{"topic":"hr:abc","event":"phx_leave","payload":{},"ref":null}"#, nil,
        #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":null,"topic":"hr:abc"}"#
      ),
      (#"{"topic":"other","event":"phx_join","ref":1}"#, nil, nil),
      (#"{"topic":"hr:abc","event":"ping","ref":1}"#, nil, nil),
    ] as [(String, String?, String?)])
  func phoenix(text: String, joined: String?, reply: String?) throws {
    let message = try #require(PhoenixMessage(text))
    #expect(message.joined == joined)
    #expect(message.reply == reply)
  }

  @Test(
    "what is no message of a Phoenix client is none",
    arguments: ["", "{}", "[]", "{\"topic\":1,\"event\":\"a\"}", "\u{0}"])
  func noPhoenix(text: String) {
    #expect(PhoenixMessage(text) == nil)
  }

  @Test("the histogram counts each interval once, in every bucket that holds it")
  func metrics() {
    var metrics = Metrics()
    metrics.show(.value(Reading(sensor: "", microseconds: 0, beatsPerMinute: 60, rrTicks: [1024, 1025, 2048, 65_535])))
    let text = metrics.text
    for line in [
      "sensord_connected 1", "sensord_beats_total 4", "sensord_heart_rate_bpm 60",
      #"sensord_rr_interval_seconds_bucket{le="0.9"} 0"#, #"sensord_rr_interval_seconds_bucket{le="1.0"} 1"#,
      #"sensord_rr_interval_seconds_bucket{le="1.2"} 2"#, #"sensord_rr_interval_seconds_bucket{le="2.0"} 3"#,
      #"sensord_rr_interval_seconds_bucket{le="+Inf"} 4"#, "sensord_rr_interval_seconds_count 4",
      "sensord_rr_interval_seconds_sum \(Double(1024 + 1025 + 2048 + 65_535) / 1024)",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test("an avatar gets a rate in all three families of names")
  func avatar() {
    let messages = AvatarParameters.messages(Self.value)
    let expected: [(String, OSCMessage.Argument)] = [
      ("isHRConnected", .flag(true)), ("isHRReconnecting", .flag(false)), ("HR", .integer(72)),
      ("floatHR", .number(72 / 127.5 - 1)), ("Heartrate", .number(72 / 127.5 - 1)), ("Heartrate2", .number(72 / 255)),
      ("Heartrate3", .integer(72)), ("VRCOSC/Heartrate/Value", .integer(72)),
      ("VRCOSC/Heartrate/Connected", .flag(true)),
      ("VRCOSC/Heartrate/Normalised", .number(0.3)), ("VRCOSC/Heartrate/Units", .number(0.2)),
      ("VRCOSC/Heartrate/Tens", .number(0.7)), ("VRCOSC/Heartrate/Hundreds", .number(0)), ("RRInterval", .integer(830)),
    ]
    #expect(messages == expected.map { OSCMessage("/avatar/parameters/\($0.0)", $0.1) })
  }

  @Test("a rate beyond what a family can say stays at its end")
  func extremes() {
    let messages = AvatarParameters.messages(.value(Reading(sensor: "", microseconds: 0, beatsPerMinute: 65_535)))
    for message in messages {
      if case .number(let number) = message.argument { #expect((-1...1).contains(number), "\(message)") }
    }
  }

  @Test(
    "messages are those of Open Sound Control 1.0",
    arguments: [
      (OSCMessage("/a", .flag(true)), "2f610000 2c540000"),
      (OSCMessage("/abc", .flag(false)), "2f616263 00000000 2c460000"),
      (OSCMessage("/ab", .integer(-2)), "2f616200 2c690000 fffffffe"),
      (OSCMessage("/ab", .number(0.5)), "2f616200 2c660000 3f000000"),
    ])
  func osc(message: OSCMessage, hex: String) {
    let digits = message.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digits == hex.filter { $0 != " " })
  }
}
