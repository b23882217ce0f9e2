import NIOCore
import NIOPosix
import Synchronization
import TestSupport

@testable import LiveHub

/// A hub on a real socket, without a recorder: a test says what happens at it.
final class Stage {
  static let strap = "C0:FF:EE:00:00:01"

  let folder = TemporaryFolder()
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let server: LiveServer
  private let complaints = Complaints()

  private final class Complaints: Sendable {
    let all = Mutex<[String]>([])
  }

  init(_ change: (inout LiveServer.Options) -> Void = { _ in }) throws {
    var options = LiveServer.Options(
      address: "127.0.0.1", port: 0, stateFolder: folder.path, controlPath: "\(folder.path)/control")
    change(&options)
    do {
      server = try LiveServer.start(options, on: group.next()) { [complaints] line in
        complaints.all.withLock { $0.append(line) }
      }
    } catch {
      try group.syncShutdownGracefully()
      throw error
    }
  }

  deinit {
    server.stop()
    try? group.syncShutdownGracefully()
  }

  var complained: [String] { complaints.all.withLock { $0 } }

  var place: String { server.place }

  var port: Int { server.place.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

  func stop() { server.stop() }

  /// What happens at the recorder; returns when the hub has dealt with it, and the text file has been written.
  func happens(_ events: RecorderEvent...) throws {
    for event in events { server.handle(event) }
    let loop = group.next()
    try loop.flatSubmit { [server] in server.textFile?.value.whenWritten() ?? loop.makeSucceededVoidFuture() }.wait()
  }

  /// A recorder with a sensor that sends this.
  func measures(_ rate: UInt16, rr: [UInt16] = [1024]) throws {
    let reading = Reading(sensor: Self.strap, microseconds: 1_000_000, beatsPerMinute: rate, rrTicks: rr)
    try happens(.measured(reading))
  }

  /// What the hub's own socket answers.
  func ask(_ line: String) throws -> [String] {
    let peer = try Peer(path: "\(folder.path)/control")
    peer.say(line + "\n")
    return try peer.toEnd().split(separator: "\n").map(String.init)
  }

  func token(_ name: String = "test") throws -> String { try ask("add \(name)").last ?? "" }

  func peer() throws -> Peer { try Peer(port: port) }

  /// The text of a request.
  func request(_ target: String, _ fields: [String] = [], method: String = "GET", host: String? = nil) -> String {
    (["\(method) \(target) HTTP/1.1", "Host: \(host ?? place)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// What a request is answered, on a connection of its own.
  func answer(_ target: String, _ fields: [String] = [], method: String = "GET", host: String? = nil) throws -> Reply {
    let peer = try peer()
    peer.say(request(target, ["Connection: close"] + fields, method: method, host: host))
    return Reply(try peer.toEnd())
  }

  /// A WebSocket that is open.
  func webSocket(_ target: String) throws -> Peer {
    let peer = try peer()
    peer.say(request(target, Self.upgrade))
    let head = try peer.until("\r\n\r\n")
    guard head.hasPrefix("HTTP/1.1 101 ") else { throw Peer.Failure(description: head) }
    peer.forget(through: "\r\n\r\n")
    return peer
  }

  static let upgrade = [
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]
}

/// An answer of the hub.
struct Reply {
  let head: String
  let body: String

  init(_ text: String) {
    let end = text.firstRange(of: "\r\n\r\n")
    head = end.map { String(text[..<$0.lowerBound]) } ?? text
    body = end.map { String(text[$0.upperBound...]) } ?? ""
  }

  var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

  /// A field's only value.
  subscript(name: String) -> String? {
    let lines = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
    return lines.count == 1 ? String(lines[0].dropFirst(name.count + 2)) : nil
  }
}
