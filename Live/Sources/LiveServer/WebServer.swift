internal import LiveForms
internal import LiveLocks
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket

/// Listens for browsers and programs. Confined to the hub's loop, like every connection of it.
final class WebServer {
  private let router: Router
  private let limits: Limits
  private var connections = 0

  init(_ router: Router, _ limits: Limits) {
    self.router = router
    self.limits = limits
  }

  /// Listens from now on; fails where it cannot.
  func listen(on address: SocketAddress) -> EventLoopFuture<any Channel> {
    let server = NIOLoopBound(self, eventLoop: router.hub.loop)
    return ServerBootstrap(group: router.hub.loop)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try server.value.accept(channel) }
      }
      .bind(to: address)
  }

  private func accept(_ channel: any Channel) throws {
    guard connections < limits.connections else { throw ChannelError.operationUnsupported }
    connections += 1
    let server = NIOLoopBound(self, eventLoop: channel.eventLoop)
    channel.closeFuture.whenComplete { _ in server.value.connections -= 1 }
    let handler = RequestHandler(router, limits)
    let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = limits.headerBytes
    decoding.maxHeaderListSize = limits.headerBytes
    decoding.maxHeaderFieldCount = limits.headerFields
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false,
      withServerUpgrade: (
        [upgrader(server)], { $0.pipeline.syncOperations.removeHandler(bound.value, promise: nil) }
      ),
      withErrorHandling: true, withOutboundHeaderValidation: true, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: decoding)
    try channel.pipeline.syncOperations.addHandler(handler)
  }

  /// Makes a WebSocket of a connection whose request may have one; the others are answered as requests.
  private func upgrader(_ server: NIOLoopBound<WebServer>) -> NIOWebSocketServerUpgrader {
    NIOWebSocketServerUpgrader(
      maxFrameSize: limits.messageBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        guard case .webSocket = server.value.router.route(head) else {
          return channel.eventLoop.makeSucceededFuture(nil)
        }
        return channel.eventLoop.makeSucceededFuture([:])
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let server = server.value
          guard case .webSocket(let dialect, let key) = server.router.route(head) else {
            throw ChannelError.operationUnsupported
          }
          try channel.pipeline.syncOperations.addHandlers([
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: server.limits.fragments,
              maxAccumulatedFrameSize: server.limits.messageBytes),
            SocketHandler(server.router.hub, server.limits, dialect, key),
          ])
        }
      })
  }
}
