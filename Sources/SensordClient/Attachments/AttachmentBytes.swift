/// The bytes of an attachment, piece by piece, in order. It is read once, and only as fast as it is taken.
public struct AttachmentBytes: AsyncSequence, Sendable {
  private let pipe: AnswerPipe
  private let size: Int

  init(_ pipe: AnswerPipe, size: Int) {
    self.pipe = pipe
    self.size = size
  }

  /// Begins with what has not been read.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pipe: pipe, rest: size) }

  /// Reads pieces of at most 64 KiB.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let pipe: AnswerPipe
    /// What is to come.
    var rest: Int

    /// The next piece; nil at the end.
    public mutating func next() async throws(ClientError) -> [UInt8]? {
      try await next(isolation: #isolation)
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: ``ClientError/cutOff`` where the owner has revoked the permission meanwhile, nobody read for 30 s, or the stored file is
    ///   damaged; ``ClientError/cancelled``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> [UInt8]? {
      let piece = try await pipe.read()
      rest -= piece.count
      guard piece.isEmpty else { return piece }
      guard rest == 0 else { throw .cutOff }
      return nil
    }
  }
}
