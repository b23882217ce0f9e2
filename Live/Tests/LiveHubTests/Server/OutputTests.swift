import Glibc
import TestSupport
import Testing

@testable import LiveHub

@Suite("Outputs of the hub", .timeLimit(.minutes(2)))
struct OutputTests {
  @Test("events begin with what is shown now, and tell every change with its number")
  func events() throws {
    let stage = try Stage()
    let token = try stage.token()
    let peer = try stage.peer()
    peer.say(stage.request("/events?token=\(token)"))
    try peer.until(#"data: {"state":"noRecorder","sequence":0,"bpm":null}"#)
    try stage.happens(.subscribed)
    try peer.until(#"data: {"state":"linkLost","sequence":1,"bpm":null}"#)
    try stage.measures(72)
    try peer.until(#""state":"measuring","sequence":2,"sensor":"C0:FF:EE:00:00:01","bpm":72,"rr_ms":[1000.0]"#)
    try stage.happens(.changed(sensor: Stage.strap, .offSkin))
    try peer.until(#"data: {"state":"offSkin","sequence":3,"bpm":null}"#)
    try stage.happens(.lost)
    try peer.until(#"data: {"state":"noRecorder","sequence":4,"bpm":null}"#)
    #expect(Reply(peer.text)["Content-Type"] == "text/event-stream")
  }

  @Test("who follows all sensors is told of each, whichever is shown, and of the end of each")
  func room() throws {
    let stage = try Stage()
    let token = try stage.token()
    try stage.happens(.subscribed)
    try stage.measures(72)
    let peer = try stage.peer()
    peer.say(stage.request("/events?sensors=all&token=\(token)"))
    // Of no sensor first, upon which a page forgets what it knew.
    try peer.until(#"data: {"state":"linkLost","sequence":0,"bpm":null}"#)
    try peer.until(#""state":"measuring","sequence":0,"sensor":"C0:FF:EE:00:00:01","bpm":72"#)
    let other = "C0:FF:EE:00:00:02"
    try stage.happens(.measured(Reading(sensor: other, microseconds: 2_000_000, beatsPerMinute: 200, rrTicks: [300])))
    try peer.until(#""sequence":1,"sensor":"C0:FF:EE:00:00:02","bpm":200"#)
    try stage.happens(.changed(sensor: Stage.strap, .offSkin))
    try peer.until(#"data: {"state":"offSkin","sequence":2,"sensor":"C0:FF:EE:00:00:01","bpm":null}"#)
    // Nothing happens but that time passes.
    try peer.until(#"data: {"state":"silent","sequence":3,"sensor":"C0:FF:EE:00:00:02","bpm":null}"#)
    try stage.happens(.lost)
    try peer.until(#"data: {"state":"noRecorder","sequence":4,"bpm":null}"#)
    #expect(try stage.answer("/events?sensors=some&token=\(token)").status == 400)
  }

  @Test("who comes late gets the curve, the beats of the last minute, and what the recorder says of each sensor")
  func late() throws {
    let entry = SensorEntry(address: Stage.strap, name: "Strap \"1\"", battery: 9, sessionStart: 3000)
    let stage = try Stage { $0.archive = { _, _, answer in answer(.sensors([entry])) } }
    let token = try stage.token()
    let before = try stage.answer("/api/now?token=\(token)")
    #expect(before.status == 200 && before.body.contains(#""recorder":false"#))
    try stage.happens(.subscribed, .undecided("sensord grants allow x"))
    #expect(try stage.answer("/api/now?token=\(token)").body.contains(#""undecided":"sensord grants allow x""#))
    try stage.happens(.undecided(nil))
    for second in [2, 3, 4, 20, 21] {
      let rate = UInt16(60 + second)
      try stage.happens(
        .measured(
          Reading(sensor: Stage.strap, microseconds: Int64(second) * 1_000_000, beatsPerMinute: rate, rrTicks: [1024])))
    }
    let late = try stage.answer("/api/now?token=\(token)").body
    // From the session's beginning; sixteen seconds without a value are a gap.
    #expect(
      late.contains(#""stretches":[[[3000,63,63],[4000,64,64]],[[20000,80,80],[21000,81,81]]],"gaps":[[4000,20000]]"#),
      "\(late)")
    #expect(late.contains(#""name":"Strap \"1\"","battery":9,"session_start":3000"#) && !late.contains("undecided"))
    #expect(late.contains(#""average":72,"minimum":63,"maximum":81,"gap_count":1,"missing_ms":16000"#), "\(late)")
    #expect(late.contains(#""beats":[[2000,1000],"#))
    #expect(try stage.answer("/api/now?columns=0&token=\(token)").status == 404)
    #expect(
      try stage.answer("/api/now?columns=1&token=\(token)").body.contains(#""stretches":[[[3000,63,81]]],"gaps":[]"#))
    try stage.happens(.lost)
    #expect(try stage.answer("/api/now?token=\(token)").body.contains(#""state":"noRecorder","name""#))

    // A recorder that cannot be asked hides nothing; who asks too much is told.
    let silent = try Stage { $0.archive = { _, _, answer in answer(.unavailable("none")) } }
    try silent.happens(.subscribed)
    try silent.measures(72)
    #expect(try silent.answer("/api/now?token=\(try silent.token())").body.contains(#""stretches":[[[1000,72,72]]]"#))
    let busy = try Stage { $0.archive = { _, _, answer in answer(.tooMany("wait")) } }
    #expect(try busy.answer("/api/now?token=\(try busy.token())").status == 429)
  }

  @Test("a value whose next beat does not come ends by itself, everywhere")
  func overdue() throws {
    let stage = try Stage()
    let token = try stage.token()
    let file = "\(stage.folder.path)/rate"
    let other = try Stage { $0.textFile = file }
    let peer = try stage.peer()
    peer.say(stage.request("/events?token=\(token)"))
    try stage.happens(.subscribed)
    try other.happens(.subscribed)
    try stage.measures(200, rr: [300])
    try other.measures(200, rr: [300])
    try peer.until(#""bpm":200"#)
    #expect(stage.folder.bytes(of: "rate") == Array("200".utf8))
    // Nothing happens but that time passes.
    try peer.until(#"{"state":"silent","#)
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
    let metrics = try stage.answer("/metrics?token=\(token)").body
    #expect(!metrics.contains("sensord_heart_rate_bpm") && metrics.contains("sensord_connected 0"))
    let second = try Peer(port: other.port)
    second.say(other.request("/events?token=\(try other.token())"))
    try second.until(#"{"state":"silent","#)
    // A thread of its own writes the file.
    let patience = ContinuousClock.now + .seconds(60)
    while stage.folder.bytes(of: "rate") == Array("200".utf8), ContinuousClock.now < patience { usleep(10_000) }
    #expect(stage.folder.bytes(of: "rate") == Array("-".utf8))
  }

  @Test("who polls gets digits or JSON while there is a value, and no content otherwise")
  func polled() throws {
    let stage = try Stage()
    let token = try stage.token()
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
    try stage.happens(.subscribed)
    try stage.measures(64)
    let plain = try stage.answer("/hr?token=\(token)")
    #expect(plain.status == 200 && plain.body == "64")
    #expect(try stage.answer("/hr?format=json&token=\(token)").body == #"{"bpm":64,"measured_at":1000}"#)
    #expect(try stage.answer("/hr?token=\(token)", method: "HEAD").body == "")
    try stage.happens(.lost)
    let none = try stage.answer("/hr?token=\(token)")
    #expect(none.status == 204 && none.body == "")
  }

  @Test("a WebSocket says the same as the events, and answers pings")
  func webSocket() throws {
    let stage = try Stage()
    let peer = try stage.webSocket("/ws?token=\(try stage.token())")
    func text() throws -> String { String(decoding: try peer.nextFrame().payload, as: UTF8.self) }
    #expect(try text() == #"{"state":"noRecorder","sequence":0,"bpm":null}"#)
    try stage.happens(.subscribed)
    #expect(try text() == #"{"state":"linkLost","sequence":1,"bpm":null}"#)
    try stage.measures(72)
    #expect(try text().contains(#""bpm":72"#))
    peer.frame(0x9, [1, 2, 3])
    let pong = try peer.nextFrame()
    #expect(pong.opcode == 0xA && pong.payload == [1, 2, 3])
    peer.frame(0x8, [0x03, 0xE8])
    #expect(try peer.nextFrame().opcode == 0x8)
    #expect(try peer.toEnd() == "")
  }

  @Test("a game that knows iron-heart gets its messages, and nothing at all without a value")
  func ironHeart() throws {
    let stage = try Stage()
    let peer = try stage.webSocket("/ws?dialect=iron-heart&token=\(try stage.token())")
    try stage.happens(.subscribed)
    try stage.measures(72)
    try stage.happens(.lost, .subscribed)
    try stage.measures(73, rr: [])
    #expect(String(decoding: try peer.nextFrame().payload, as: UTF8.self) == #"{"bpm":72,"latest_rr_ms":1000}"#)
    #expect(String(decoding: try peer.nextFrame().payload, as: UTF8.self) == #"{"bpm":73}"#)
  }

  @Test("a client of HypeRate joins, is kept alive, gets values and leaves")
  func hypeRate() throws {
    let stage = try Stage()
    try stage.happens(.subscribed)
    try stage.measures(72)
    let peer = try stage.webSocket("/ws?dialect=hyperate&token=\(try stage.token())")
    func text() throws -> String { String(decoding: try peer.nextFrame().payload, as: UTF8.self) }
    peer.frame(0x1, Array(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":0}"#.utf8))
    #expect(try text().contains(#""event":"phx_reply""#))
    peer.frame(0x1, Array(#"{"topic":"hr:me","event":"phx_join","payload":{},"ref":1}"#.utf8))
    #expect(try text() == #"{"event":"phx_reply","payload":{"response":{},"status":"ok"},"ref":1,"topic":"hr:me"}"#)
    #expect(try text() == #"{"event":"hr_update","payload":{"hr":72},"ref":null,"topic":"hr:me"}"#)
    try stage.measures(73)
    #expect(try text().contains(#"{"hr":73}"#))
    peer.frame(0x1, Array("not JSON".utf8))
    #expect(try peer.nextFrame().payload == [0x03, 0xEB])
  }

  @Test("there is no other dialect")
  func dialect() throws {
    let stage = try Stage()
    let token = try stage.token()
    #expect(try stage.answer("/ws?dialect=klingon&token=\(token)", Stage.upgrade).status == 400)
    #expect(try stage.answer("/ws?token=\(token)").status == 426)
  }

  @Test("a message in pieces is one message; one that is too long, or in too many pieces, ends the WebSocket")
  func fragments() throws {
    let stage = try Stage()
    let token = try stage.token()
    let join = Array(#"{"topic":"hr:me","event":"phx_join","payload":{},"ref":1}"#.utf8)
    let peer = try stage.webSocket("/ws?dialect=hyperate&token=\(token)")
    peer.frame(0x1, Array(join[..<10]), isLast: false)
    peer.frame(0x0, Array(join[10..<20]), isLast: false)
    peer.frame(0x0, Array(join[20...]))
    #expect(String(decoding: try peer.nextFrame().payload, as: UTF8.self).contains("phx_reply"))
    let long = try stage.webSocket("/ws?dialect=hyperate&token=\(token)")
    long.frame(0x1, [UInt8](repeating: 0x20, count: 70_000))
    #expect(try long.nextFrame().payload == [0x03, 0xF1])
    let cut = try stage.webSocket("/ws?dialect=hyperate&token=\(token)")
    cut.frame(0x1, [0x20], isLast: false)
    for _ in 0..<100 { cut.frame(0x0, [0x20], isLast: false) }
    #expect(try cut.nextFrame().opcode == 0x8)
    for opcode: UInt8 in [0x0, 0x3, 0xB] {
      let odd = try stage.webSocket("/ws?token=\(token)")
      _ = try odd.nextFrame()
      odd.frame(opcode, [0x20])
      #expect(try odd.nextFrame().payload == [0x03, 0xEA])
    }
    // It only says that it is.
    let huge = try stage.webSocket("/ws?dialect=hyperate&token=\(token)")
    huge.say([0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0])
    #expect(try huge.nextFrame().opcode == 0x8)
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
  }
}
