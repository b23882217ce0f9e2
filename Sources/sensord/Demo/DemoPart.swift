internal import DBus
internal import Glibc

/// One of the demo's three programs and its process, while it has one.
final class DemoPart {
  let program: ChildProgram
  private(set) var process: ChildProcess?
  private var startedAt: Int64 = 0
  private var policy = RestartPolicy()
  private var unfinished: [UInt8] = []
  private var lastLine = ""
  private var watch: WatchToken?

  init(_ program: ChildProgram) {
    self.program = program
  }

  /// Starts the process; `handle` is called with every line that it writes.
  func start(on loop: EventLoop, handle: @escaping (String) -> Void) throws {
    let process = try ChildProcess(program, launcher: ProgramSearch.own())
    self.process = process
    lastLine = ""
    startedAt = BootClock.now()
    watch = try loop.watch(process.output.number, for: .readable) { [weak self] _ in
      self?.read(on: loop, handle: handle)
    }
  }

  /// Collects the process where it has ended: reads the rest of its output and decides whether it is started again.
  ///
  /// - Returns: Nil where it still runs, or never did.
  func reap(on loop: EventLoop, handle: (String) -> Void) -> (reason: String, decision: RestartPolicy.Decision)? {
    var status: CInt = 0
    guard let process, unsafe waitpid(process.identifier, &status, WNOHANG) == process.identifier else { return nil }
    read(on: loop, handle: handle)
    stopReading(on: loop)
    self.process = nil
    let signal = status & 0x7F
    let exitStatus = signal == 0 ? status >> 8 & 0xFF : nil
    let life = Duration.microseconds(BootClock.now() - startedAt)
    let cause = exitStatus.map { "exit status \($0)" } ?? "signal \(signal)"
    // A process that was killed had no chance to say why.
    let reason = exitStatus == nil || lastLine.isEmpty ? cause : "\(cause): \(lastLine)"
    return (reason, policy.ended(after: life, exitStatus: exitStatus))
  }

  private func read(on loop: EventLoop, handle: (String) -> Void) {
    while let process, let bytes = process.read() {
      guard !bytes.isEmpty else { return }
      unfinished += bytes
      while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
        lastLine = String(decoding: unfinished[..<end], as: UTF8.self)
        handle(lastLine)
        unfinished.removeFirst(end + 1)
      }
      if unfinished.count > 1 << 16 { unfinished.removeAll() }
    }
    stopReading(on: loop)
  }

  private func stopReading(on loop: EventLoop) {
    if let watch { loop.cancel(watch) }
    watch = nil
  }
}
