import Glibc
import NIOCore
import NIOPosix

/// Writes a file with the rate alone, for programs that read one, on a thread of its own, so that a disk that does not
/// answer stops nothing else; of the texts shown meanwhile the last is written next.
final class TextFileOutput: Output {
  /// The time that a disk has before it is reported as slow, and the time that the hub waits at its end.
  struct Patience {
    var slow = TimeAmount.seconds(5)
    var farewell = TimeAmount.seconds(1)
  }

  private let path: String
  private let loop: any EventLoop
  private let patience: Patience
  private let replace: @Sendable (String) -> String?
  private let complain: (String) -> Void
  private let thread = NIOThreadPool(numberOfThreads: 1)
  /// The file's content, where it is known.
  private var written: String?
  /// The text on its way to the file.
  private var writing: String?
  /// The text to be written after that.
  private var next: String?
  private var slowness: Scheduled<Void>?
  private var complaint: String?
  private var waiting: [EventLoopPromise<Void>] = []

  /// Confined to `loop`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - loop: The loop of the hub.
  ///   - patience: The time that a disk has.
  ///   - replace: Replaces the file with a text, on another thread; returns the reason for a failure.
  ///   - complain: Receives one line about a file that cannot be written, once until that changes.
  init(
    _ path: String, on loop: any EventLoop, patience: Patience = Patience(),
    replace: @escaping @Sendable (String) -> String?, complain: @escaping (String) -> Void
  ) {
    self.path = path
    self.loop = loop
    self.patience = patience
    self.replace = replace
    self.complain = complain
    thread.start()
  }

  /// Writes ``DraftedFile``s.
  convenience init(_ file: DraftedFile, on loop: any EventLoop, complain: @escaping (String) -> Void) {
    self.init(
      file.path, on: loop,
      replace: { text in
        do throws(DraftedFile.Failure) {
          try file.write(text)
          return nil
        } catch {
          return error.reason
        }
      }, complain: complain)
  }

  deinit {
    // A thread that waits for a disk ends when the disk answers.
    thread.shutdownGracefully { _ in }
  }

  func show(_ shown: Shown) {
    let text = PlainRate.text(shown.pulse)
    if let writing {
      next = text == writing ? nil : text
    } else if text != written {
      begin(text)
    }
  }

  /// Completes when nothing is on its way to the file.
  func whenWritten() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    waiting.append(promise)
    if writing == nil { release() }
    return promise.futureResult
  }

  /// Completes when all is written, or when the disk takes too long for it.
  func close() -> EventLoopFuture<Void> {
    let output = NIOLoopBound(self, eventLoop: loop)
    let farewell = loop.scheduleTask(in: patience.farewell) { output.value.release() }
    return whenWritten().always { _ in farewell.cancel() }
  }

  private func release() {
    let promises = waiting
    waiting = []
    for promise in promises { promise.succeed() }
  }

  private func begin(_ text: String) {
    writing = text
    let output = NIOLoopBound(self, eventLoop: loop)
    slowness = loop.scheduleTask(in: patience.slow) {
      output.value.tell("the disk has not answered for \(output.value.patience.slow.nanoseconds / 1_000_000_000) s")
    }
    thread.runIfActive(eventLoop: loop) { [replace] in replace(text) }.whenSuccess { output.value.ended(with: $0) }
  }

  private func ended(with reason: String?) {
    slowness?.cancel()
    slowness = nil
    if let reason {
      // The same text may succeed later, and must not count as written.
      written = nil
      tell(reason)
    } else {
      written = writing
      complaint = nil
    }
    writing = nil
    if let text = next {
      next = nil
      if text != written { return begin(text) }
    }
    release()
  }

  private func tell(_ reason: String) {
    let line = "\(path) cannot be written: \(reason); mend that, or choose another --text-file"
    if line != complaint { complain(line) }
    complaint = line
  }
}

/// A small file that is replaced by rename: its readers get the old content or the new one, never a part.
struct DraftedFile: Sendable {
  /// The reason for which the file is unchanged.
  struct Failure: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    init(code: Int32) { reason = LiveFailure.reason(code) }
  }

  let path: String
  /// The mode of the file, whatever the mask of the process is.
  var mode: mode_t = 0o600

  private var draft: String { path + ".new" }

  /// Replaces the content. A link at the path is replaced and not followed; a pipe, a device or a folder stays as it is.
  ///
  /// - Parameters:
  ///   - text: The whole content.
  ///   - isDurable: Whether a power cut must not undo it.
  /// - Throws: ``Failure``; the draft is gone then.
  func write(_ text: String, isDurable: Bool = false) throws(Failure) {
    try requireReplaceable()
    // A killed program may have left a draft.
    unsafe unlink(draft)
    // Others may make files in a shared folder: what stands there now is neither opened nor followed.
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? Failure("\(draft) is in the way and cannot be removed") : Failure(code: errno)
    }
    do throws(Failure) {
      defer { close(descriptor) }
      try Self.fill(descriptor, with: Array(text.utf8))
      guard fchmod(descriptor, mode) == 0, !isDurable || fsync(descriptor) == 0, unsafe rename(draft, path) == 0 else {
        throw Failure(code: errno)
      }
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(Failure) {
    let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
    // A disk that stores only a part of so little is full.
    guard count == bytes.count else { throw Failure(code: count < 0 ? errno : ENOSPC) }
  }

  private func requireReplaceable() throws(Failure) {
    var status = stat()
    // A file that cannot be looked at cannot be made either, and says so there.
    guard unsafe lstat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFLNK: return
    case S_IFDIR: throw Failure("it is a folder")
    case S_IFIFO: throw Failure("it is a pipe and no file")
    default: throw Failure("it is a device or a socket and no file")
    }
  }
}
