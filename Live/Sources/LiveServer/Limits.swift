public import NIOCore

/// How much of the hub strangers may take up.
public struct Limits: Sendable {
  /// Connections at a time; further ones are closed at once.
  public var connections = 1000
  /// How long a connection may take for a request, and stay without one.
  public var requestTime: TimeAmount = .seconds(10)
  /// How long a stream may take nothing of what waits for it.
  public var stallTime: TimeAmount = .seconds(30)
  /// Messages that wait for a slow reader; more, and the oldest go.
  public var waitingMessages = 32
  /// Bytes of a request's header fields, and fields.
  public var headerBytes = 16 * 1024
  public var headerFields = 64
  /// Bytes of a message, and of a frame, that a WebSocket's client may send.
  public var messageBytes = 4096
  /// Frames that one message may be cut into.
  public var fragments = 16

  public init() {}
}
