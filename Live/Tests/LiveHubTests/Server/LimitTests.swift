import Foundation
import NIOCore
import Testing

@testable import LiveHub

@Suite("Limits of the hub", .timeLimit(.minutes(2)))
struct LimitTests {
  @Test("connections beyond the limit are closed at once, and there is room again when one ends")
  func connections() throws {
    let stage = try Stage { $0.limits.connections = 2 }
    let token = try stage.token()
    var held: [Peer] = []
    for _ in 0..<2 {
      let peer = try stage.peer()
      peer.say(stage.request("/events?token=\(token)"))
      try peer.until("noRecorder")
      held.append(peer)
    }
    #expect(try stage.peer().toEnd() == "")
    held.removeLast()
    // The hub learns of an end when it comes to it.
    var status = 0
    while status == 0 { status = try stage.answer("/hr?token=\(token)").status }
    #expect(status == 204)
  }

  // A thousand, of the program: AttackTests.
  @Test("hundreds of connections are served at the same time")
  func hundreds() throws {
    let stage = try Stage()
    let token = try stage.token()
    try stage.happens(.subscribed)
    let peers = try (0..<400).map { _ in
      let peer = try stage.peer()
      peer.say(stage.request("/events?token=\(token)"))
      return peer
    }
    for peer in peers { try peer.until("linkLost") }
    try stage.measures(99)
    for peer in peers { try peer.until(#""bpm":99"#) }
  }

  @Test("who sends a request slowly, or none, is not waited for")
  func slowRequests() throws {
    let stage = try Stage { $0.limits.requestTime = .milliseconds(50) }
    for beginning in ["", "GET /hr HTTP/1.1\r\n", "GET /hr HTTP/1.1\r\nHost: \(stage.place)\r\nX: ", "\r\n"] {
      let peer = try stage.peer()
      peer.say(beginning)
      #expect(try peer.toEnd() == "")
    }
  }

  @Test("who says something again and again without finishing a request is not waited for either")
  func drips() throws {
    let stage = try Stage { $0.limits.requestTime = .milliseconds(50) }
    let peer = try stage.peer()
    peer.say("GET /hr HTTP/1.1\r\nX: ")
    while peer.saySome("a") { usleep(1000) }
    #expect(try peer.toEnd() == "")
  }

  @Test("one who has been answered and says nothing more is not waited for either")
  func idle() throws {
    let stage = try Stage { $0.limits.requestTime = .milliseconds(50) }
    let token = try stage.token()
    let peer = try stage.peer()
    peer.say(stage.request("/hr?token=\(token)"))
    #expect(Reply(try peer.toEnd()).status == 204)
  }

  @Test("a stream stays, however long it says nothing")
  func silentStream() throws {
    let stage = try Stage { $0.limits.requestTime = .milliseconds(50) }
    let token = try stage.token()
    let stream = try stage.peer()
    stream.say(stage.request("/events?token=\(token)"))
    try stream.until("noRecorder")
    // Others, whose time runs out in the meantime.
    for _ in 0..<3 { #expect(try stage.peer().toEnd() == "") }
    try stage.happens(.subscribed)
    try stream.until("linkLost")
  }

  @Test("several requests on one connection are answered in turn")
  func keepAlive() throws {
    let stage = try Stage()
    let token = try stage.token()
    let peer = try stage.peer()
    let request = stage.request("/hr?token=\(token)")
    peer.say(request + request + stage.request("/hr", ["Connection: close"]))
    let text = try peer.toEnd()
    #expect(text.components(separatedBy: "HTTP/1.1 204 ").count == 3)
    #expect(text.components(separatedBy: "HTTP/1.1 401 ").count == 2)
  }

  @Test(
    "a head that is too long, too full or none is refused, and the hub goes on",
    arguments: [
      "GET /hr HTTP/1.1\r\nX: \(String(repeating: "a", count: 65_536))\r\n\r\n",
      "GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\n\r\n",
      "GET /hr HTTP/1.1\r\n\((0..<100).map { "X\($0): a\r\n" }.joined())\r\n",
      "\u{16}\u{3}\u{1}\u{2}", "GET /hr HTTP/1.1\r\nHost : a\r\n\r\n", "hello\r\n\r\n", "GET  HTTP/9.9\r\n\r\n",
      "GET /hr HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ])
  func heads(head: String) throws {
    let stage = try Stage()
    let token = try stage.token()
    let peer = try stage.peer()
    peer.say(head)
    let text = (try? peer.toEnd()) ?? ""
    #expect(text.isEmpty || (400..<500).contains(Reply(text).status), "\(text)")
    #expect(try stage.answer("/hr?token=\(token)").status == 204)
  }

  @Test("a reader that does not read costs a little, misses the oldest, and sees the newest when it reads")
  func slowReader() throws {
    let stage = try Stage()
    let token = try stage.token()
    let peer = try stage.peer()
    peer.say(stage.request("/events?token=\(token)"))
    try peer.until("noRecorder")
    try stage.happens(.subscribed)
    // Far more than the sockets of both sides hold.
    let intervals = [UInt16](repeating: 1000, count: 500)
    for _ in 0..<5000 { try stage.measures(80, rr: intervals) }
    try stage.measures(81)
    let text = try peer.until(#""bpm":81"#)
    let numbers = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
    #expect(numbers == numbers.sorted())
    #expect(numbers.count < 5000, "nothing was left out")
  }

  @Test("a reader that takes nothing at all goes")
  func stalledReader() throws {
    let stage = try Stage {
      $0.limits.stallTime = .milliseconds(50)
      $0.limits.connections = 1
    }
    let token = try stage.token()
    let peer = try stage.peer()
    peer.say(stage.request("/events?token=\(token)"))
    try peer.until("noRecorder")
    try stage.happens(.subscribed)
    let intervals = [UInt16](repeating: 1000, count: 500)
    for _ in 0..<5000 { try stage.measures(80, rr: intervals) }
    var status = 0
    while status == 0 { status = try stage.answer("/hr?token=\(token)").status }
    #expect(status == 200)
  }
}
