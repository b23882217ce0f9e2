import RecorderBus
import DBus
public import FoundationEssentials
import Glibc
public import HealthModel

// Files that belong to objects. They follow their object: who may read it may read them, and who saved it may change them.

extension SensordClient {
  /// Attaches a file to an object that this program has saved.
  ///
  /// - Parameters:
  ///   - object: A prescription, by its identifier in the store.
  ///   - name: The file's name for people; see ``HealthModel/Attachment/validate(name:)``.
  ///   - contentType: The file's type. Its bytes decide (``HealthModel/AttachmentForm``), and must agree.
  ///   - path: The file's path. The file is copied.
  ///   - metadata: Further metadata.
  /// - Returns: The attachment's identifier.
  /// - Throws: ``ClientError/invalidArgument(_:)`` where there is no such file, and as the other form.
  @discardableResult
  @concurrent public func addAttachment(
    to object: UUID, name: String, contentType: AttachmentContentType? = nil, path: String, metadata: Metadata = [:]
  ) async throws(ClientError) -> UUID {
    let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? ""
      throw .invalidArgument("the file to be attached cannot be opened: \(reason)")
    }
    defer { Glibc.close(number) }
    return try await addAttachment(
      to: object, name: name, contentType: contentType, descriptor: number, metadata: metadata)
  }

  /// Attaches what an open file or a pipe has from where it stands to its end, 64 MiB at most.
  ///
  /// - Parameters:
  ///   - object: A prescription that this program has saved, by its identifier in the store.
  ///   - name: The file's name for people; see ``HealthModel/Attachment/validate(name:)``.
  ///   - contentType: The file's type. Its bytes decide (``HealthModel/AttachmentForm``), and must agree.
  ///   - descriptor: It stays open, and is read by the recorder.
  ///   - metadata: Further metadata.
  /// - Returns: The attachment's identifier.
  /// - Throws: ``ClientError/invalidAttachment(_:)``; ``ClientError/notFound`` where this program has saved no such object;
  ///   ``ClientError/notAuthorized``, ``ClientError/limitsExceeded(_:)``, ``ClientError/notStored``, and others.
  @discardableResult
  @concurrent public func addAttachment(
    to object: UUID, name: String, contentType: AttachmentContentType? = nil, descriptor: Int32,
    metadata: Metadata = [:]
  ) async throws(ClientError) -> UUID {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .invalidArgument("the file to be attached is not open") }
    let file = SharedDescriptor(FileDescriptor(owning: copy))
    let answer = try await link.call(
      ClientInterfaces.attachments, "Add",
      [
        .string(object.uuidString.lowercased()), .string(name), .string(contentType?.rawValue ?? ""),
        .descriptor(file), metadata.value,
      ])
    guard let id = answer.first?.string.flatMap({ UUID(uuidString: $0) }) else { throw .unreadable }
    return id
  }

  /// The files of an object, oldest first.
  ///
  /// - Throws: ``ClientError/notFound`` for an object that is not there, or not for this program, and others.
  @concurrent public func attachments(for object: UUID) async throws(ClientError) -> [Attachment] {
    let answer = try await link.call(
      ClientInterfaces.attachments, "List", [.string(object.uuidString.lowercased())])
    let values = answer.first?.array ?? []
    let found = values.compactMap { Attachment($0) }
    guard found.count == values.count else { throw .unreadable }
    return found
  }

  /// The bytes of a file, as they are asked for.
  ///
  /// - Throws: ``ClientError/notFound`` for an attachment that is not there, or not for this program;
  ///   ``ClientError/limitsExceeded(_:)``, ``ClientError/notStored`` where the file is damaged, and others.
  @concurrent public func data(of attachment: Attachment) async throws(ClientError) -> AttachmentBytes {
    let answer = try await link.call(
      ClientInterfaces.attachments, "Read", [.string(attachment.id.uuidString.lowercased())])
    guard let descriptor = answer.first?.descriptor?.take() else { throw .unreadable }
    return AttachmentBytes(AnswerPipe(descriptor, on: link.loop), size: attachment.size)
  }

  /// Removes a file of an object that this program has saved, so that no byte of it is left in the store.
  ///
  /// - Throws: ``ClientError/notFound``, ``ClientError/notStored``, and others.
  @concurrent public func removeAttachment(_ id: UUID) async throws(ClientError) {
    _ = try await link.call(ClientInterfaces.attachments, "Remove", [.string(id.uuidString.lowercased())])
  }
}

/// The bytes of an attachment, piece by piece, in order. The sequence is read once, and only as fast as its reader
/// asks.
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
    /// The number of bytes that are still to come.
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
