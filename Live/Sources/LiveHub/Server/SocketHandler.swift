import NIOCore
import NIOWebSocket

/// One WebSocket: sends every change in its dialect, answers pings, and ends as the protocol says.
final class SocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let hub: Hub
  private let limits: Limits
  private let dialect: Dialect
  private let key: Key
  private var reader: Reader?
  /// The channel that a HypeRate client has joined.
  private var topic: String?
  private var isClosing = false

  init(_ hub: Hub, _ limits: Limits, _ dialect: Dialect, _ key: Key) {
    self.hub = hub
    self.limits = limits
    self.dialect = dialect
    self.key = key
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let reader = Reader(hub, channel, limits, key) { shown in
      let handler = handler.value
      guard !handler.isClosing, let text = handler.dialect.message(shown, topic: handler.topic) else { return }
      channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)), promise: nil)
    }
    self.reader = reader
    reader.begin()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    reader?.stop()
    reader = nil
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    reader?.writabilityChanged()
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .ping: write(.pong, frame.unmaskedData, context)
    case .text: understand(String(buffer: frame.unmaskedData), context)
    case .binary: close(.unacceptableData, context)
    case .connectionClose: close(.normalClosure, context)
    case .pong: break
    // An opcode of no known version of the protocol, or a piece of no message.
    default: close(.protocolError, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A frame that is too long, a message of too many frames, or bytes that are no frame.
    close(error as? NIOWebSocketError == .invalidFrameLength ? .messageTooLarge : .protocolError, context)
  }

  /// Handles a text of the client: only clients of a channel send any.
  private func understand(_ text: String, _ context: ChannelHandlerContext) {
    guard dialect == .hypeRate else { return }
    guard let message = PhoenixMessage(text) else { return close(.unacceptableData, context) }
    if let reply = message.reply { write(.text, ByteBuffer(string: reply), context) }
    if message.isLeaving { topic = nil }
    if let joined = message.joined {
      topic = joined
      reader?.show(hub.shown)
    }
  }

  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
    // A client that pings without reading the answers gets no more answers.
    guard context.channel.isWritable, !isClosing else { return }
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
  }

  private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
      .whenComplete { _ in channel.close(promise: nil) }
  }
}
