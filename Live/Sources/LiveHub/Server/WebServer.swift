import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// Listens for browsers and programs. Confined to the hub's loop, like every connection of it.
final class WebServer {
  private let router: Router
  private let limits: Limits
  private var connections = 0

  init(_ router: Router, _ limits: Limits) {
    self.router = router
    self.limits = limits
  }

  /// Listens from now on.
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

  /// Upgrades a connection to a WebSocket where the route of its request is one; ``RequestHandler`` answers all others.
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

/// Answers the requests of a connection, one after another; a request for `/events` is the last of its connection.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let router: Router
  private let limits: Limits
  private var head: HTTPRequestHead?
  private var patience: Scheduled<Void>?
  private var reader: Reader?
  /// Whether a request waits for an answer of the recorder.
  private var isAsking = false

  init(_ router: Router, _ limits: Limits) {
    self.router = router
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    wait(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    patience?.cancel()
    patience = nil
    reader?.stop()
    reader = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // A client that asks again while events are sent, or before the recorder's answer, is disconnected.
      guard reader == nil, !isAsking else { return context.close(promise: nil) }
      // A request with content is refused before the content comes.
      if Router.hasContent(head) { answer(head, context) } else { self.head = head }
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      answer(head, context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    reader?.writabilityChanged()
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A refused upgrade closes no connection: its request is answered like any other.
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }

  /// Closes a connection that sends nothing, or slowly.
  private func wait(_ context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: limits.requestTime) { channel.close(promise: nil) }
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    patience?.cancel()
    patience = nil
    switch router.route(head) {
    case .answer(let answer): send(answer, for: head, context)
    case .events where head.method == .HEAD: send(Answer(.ok, type: "text/event-stream"), for: head, context)
    case .events(let key, let ofRoom): stream(head, key, ofRoom: ofRoom, context)
    case .archive(let question, let archive, let key): ask(question, archive, key, for: head, context, \.answer)
    case .room(let columns, let archive, let key):
      guard let archive else { return send(router.room([], columns: columns), for: head, context) }
      let router = NIOLoopBound(router, eventLoop: context.eventLoop)
      ask(.sensors, archive, key, for: head, context) { answer in
        switch answer {
        case .sensors(let entries): router.value.room(entries, columns: columns)
        case .tooMany: answer.answer
        // The hub shows its own memory also where the recorder cannot be asked.
        default: router.value.room([], columns: columns)
        }
      }
    case .webSocket:
      var answer = Answer(.upgradeRequired, "This is for WebSockets (RFC 6455).\n")
      answer.fields = [("Upgrade", "websocket")]
      send(answer, for: head, context)
    }
  }

  /// Asks the recorder, and answers with what `form` makes of that.
  private func ask(
    _ question: ArchiveQuestion, _ archive: Archive, _ key: Key, for head: HTTPRequestHead,
    _ context: ChannelHandlerContext, _ form: @escaping @Sendable (ArchiveAnswer) -> Answer
  ) {
    isAsking = true
    let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let (loop, channel) = (context.eventLoop, context.channel)
    archive(question, key.application) { answer in
      loop.execute {
        // A client that did not wait gets nothing.
        guard channel.isActive else { return }
        let (handler, context) = handler.value
        handler.isAsking = false
        handler.send(form(answer), for: head, context)
      }
    }
  }

  private func send(_ answer: Answer, for head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let stays = head.isKeepAlive && (200..<400).contains(answer.status.code)
    var fields = HTTPHeaders(Answer.commonFields + answer.fields)
    if answer.status != .noContent {
      fields.add(name: "Content-Type", value: answer.type)
      fields.add(name: "Content-Length", value: "\(answer.body.count)")
    }
    if !stays { fields.add(name: "Connection", value: "close") }
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: answer.status, headers: fields))),
      promise: nil)
    if head.method != .HEAD, answer.status != .noContent {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
    }
    let channel = context.channel
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if stays {
      wait(context)
    } else {
      written.whenComplete { _ in channel.close(promise: nil) }
    }
  }

  private func stream(_ head: HTTPRequestHead, _ key: Key, ofRoom: Bool, _ context: ChannelHandlerContext) {
    var fields = HTTPHeaders(Answer.commonFields)
    fields.add(name: "Content-Type", value: "text/event-stream")
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .ok, headers: fields))), promise: nil)
    let channel = context.channel
    let reader = Reader(router.hub, channel, limits, key, ofRoom: ofRoom) { shown in
      let text = ByteBuffer(string: Event.serverSent(shown))
      channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(text)), promise: nil)
    }
    self.reader = reader
    reader.begin()
  }
}
