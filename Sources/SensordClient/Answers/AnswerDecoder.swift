import ClientInterfaces
import DBus
import FoundationEssentials
import Glibc

/// Makes an answer of its lines.
protocol AnswerDecoder {
  associatedtype Output

  /// Takes some whole lines.
  ///
  /// - Throws: ``ClientError/unreadable``.
  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError)

  /// The answer after its last line.
  ///
  /// - Throws: ``ClientError/cutOff`` where the line that ends every answer has not come.
  consuming func finish() throws(ClientError) -> Output
}

extension SensordClient {
  /// Asks the recorder, and reads its answer.
  @concurrent func ask<Decoder: AnswerDecoder>(
    _ query: ClientQuery, _ decoder: consuming Decoder
  ) async throws(ClientError) -> Decoder.Output {
    let reply = try await link.call(ClientInterfaces.healthStore, "Query", [.string(query.kind), query.value])
    guard let descriptor = reply.first?.descriptor?.take() else { throw .unreadable }
    let pipe = AnswerPipe(descriptor, on: link.loop)
    var bytes: [UInt8] = []
    while true {
      let part = try await pipe.read()
      if part.isEmpty { break }
      if bytes.isEmpty { bytes = part } else { bytes += part }
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      try decoder.decode(bytes[...end])
      bytes.removeFirst(end + 1)
    }
    return try decoder.finish()
  }
}

/// The pipe through which an answer comes. The pipe is read only as fast as its reader asks, so an answer of any length
/// needs little memory.
actor AnswerPipe {
  private static let capacity = 65_536

  private nonisolated let loop: EventLoop
  private let descriptor: FileDescriptor
  private var watch: WatchToken?
  private var waiter: CheckedContinuation<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ descriptor: consuming FileDescriptor, on loop: EventLoop) {
    _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK)
    self.descriptor = descriptor
    self.loop = loop
  }

  /// Returns the bytes that have come since the last call, at least one; nothing at the end.
  func read() async throws(ClientError) -> [UInt8] {
    while !Task.isCancelled {
      var bytes = [UInt8](repeating: 0, count: Self.capacity)
      let count = unsafe Glibc.read(descriptor.number, &bytes, Self.capacity)
      if count >= 0 {
        bytes.removeLast(Self.capacity - count)
        return bytes
      }
      guard errno == EAGAIN || errno == EINTR else { throw .cutOff }
      await untilReadable()
    }
    throw .cancelled
  }

  private func untilReadable() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume() }
        waiter = continuation
        do {
          watch = try loop.watch(descriptor.number, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.resume() }
          }
        } catch {
          // The kernel has no memory for it; the next read shows whether there is more.
          resume()
        }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.resume() } }
    }
  }

  private func resume() {
    if let watch { loop.cancel(watch) }
    watch = nil
    waiter?.resume()
    waiter = nil
  }
}

/// Reads lines of a known shape from bytes, character by character: a hundred times faster than a decoder of any JSON, which answers of
/// hundreds of thousands of lines need.
struct LineScanner {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// Goes on behind `text` if that comes next.
  mutating func skip(_ text: [UInt8]) -> Bool {
    guard bytes.endIndex - position >= text.count else { return false }
    var place = position
    for byte in text {
      guard bytes[place] == byte else { return false }
      place += 1
    }
    position = place
    return true
  }

  /// An integer without a point or an exponent, and goes on behind it; nil, and stays, for anything else.
  mutating func integer() -> Int64? {
    var place = position
    let isNegative = place < bytes.endIndex && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    var value: Int64 = 0
    while place < bytes.endIndex, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10 {
      // Up to 18 digits cannot overflow.
      guard place - first < 18 else { return nil }
      value = value &* 10 &+ Int64(digit)
      place += 1
    }
    guard place > first else { return nil }
    position = place
    return isNegative ? -value : value
  }

  /// A number, and goes on behind it; nil, and stays, for anything else.
  mutating func number() -> Double? {
    let start = position
    if let whole = integer(), !isPartOfNumber(position) { return Double(whole) }
    var place = start
    while isPartOfNumber(place) { place += 1 }
    guard let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)), value.isFinite else {
      position = start
      return nil
    }
    position = place
    return value
  }

  private func isPartOfNumber(_ place: Int) -> Bool {
    guard place < bytes.endIndex else { return false }
    return switch bytes[place] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Returns the bytes up to the next `end`, which is not skipped, or else all that follow.
  mutating func upTo(_ end: Unicode.Scalar) -> ArraySlice<UInt8> {
    let start = position
    let code = UInt8(ascii: end)
    while position < bytes.endIndex, bytes[position] != code { position += 1 }
    return bytes[start..<position]
  }

  /// Goes back to where something began.
  mutating func goBack(to place: Int) {
    position = place
  }
}

/// A line of an answer as a JSON document.
enum JSONLine {
  /// - Throws: ``ClientError/unreadable``.
  static func decode<Line: Decodable>(_ line: some Sequence<UInt8>) throws(ClientError) -> Line {
    do {
      return try JSONDecoder().decode(Line.self, from: Data(line))
    } catch {
      throw .unreadable
    }
  }

  /// The lines without their ends.
  static func split(_ lines: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    lines.split(separator: UInt8(ascii: "\n"))
  }
}
