import NIOCore

/// A connection of the hub's own socket: one line in, an answer, the end. The first line of an answer is `ok`, or `error`.
final class ControlHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest line: longer than every line with a meaning.
  private static let longest = 256

  private let control: Control
  private var line = ByteBuffer()
  private var patience: Scheduled<Void>?

  init(_ control: Control) {
    self.control = control
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    patience?.cancel()
    patience = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    line.writeBuffer(&bytes)
    guard line.readableBytes <= Self.longest else { return context.close(promise: nil) }
    guard line.readableBytesView.contains(UInt8(ascii: "\n")) else { return }
    let text = String(buffer: line)
    line.clear()
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: control.answer(text)))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}

/// Carries out the commands of the hub's own socket. Confined to the hub's loop.
final class Control {
  private let hub: Hub
  private let locks: Locks
  private let file: TokenFile
  private let address: String

  init(hub: Hub, locks: Locks, file: TokenFile, address: String) {
    self.hub = hub
    self.locks = locks
    self.file = file
    self.address = address
  }

  /// The answer to one line of words.
  func answer(_ line: String) -> String {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    do throws(LiveFailure) {
      return "ok\n" + (try carryOut(words))
    } catch {
      return "error\n\(error.status.rawValue)\n\(error.message)\n"
    }
  }

  private func carryOut(_ words: [String]) throws(LiveFailure) -> String {
    switch words.first {
    case "open" where words.count == 1:
      return "http://\(address)/open?code=\(locks.visitors.invite(at: hub.now).text)\n"
    case "list" where words.count == 1:
      return locks.tokens.names.map { "\($0)\n" }.joined()
    case "add" where words.count == 2:
      try TokenName.check(words[1])
      let secret = Secret()
      try change { list throws(TokenList.Failure) in try list.add(words[1], secret.print) }
      return "\(secret.text)\n"
    case "revoke" where words.count == 2:
      try change { list throws(TokenList.Failure) in try list.revoke(words[1]) }
      hub.endReaders(with: .token(words[1]))
      return ""
    default: throw LiveFailure(.usage, "this hub does not know what it was asked; are both of the same version?")
    }
  }

  /// Changes the list of tokens: first in the file, then in the locks.
  private func change(_ body: (inout TokenList) throws(TokenList.Failure) -> Void) throws(LiveFailure) {
    var list = locks.tokens
    do throws(TokenList.Failure) {
      try body(&list)
    } catch {
      throw switch error {
      case .exists: LiveFailure(.usage, "there is a token of that name; 'sensord-live token revoke' removes it")
      case .unknown: TokenName.unknown
      case .full:
        LiveFailure(.unavailable, "there are \(TokenList.capacity) tokens already; revoke one that nobody needs")
      // The name was looked at before, and no list is read here.
      case .invalidName, .damaged: LiveFailure(.badData, "the list of tokens is damaged")
      }
    }
    try file.write(list)
    locks.tokens = list
  }
}
