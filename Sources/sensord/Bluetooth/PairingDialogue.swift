import BlueZ
import DBus
import Glibc
import Support

/// Asks a person at the terminal the questions of a pairing, and reads the answers from standard input.
struct PairingDialogue: Sendable {
  private let input: LineInput
  /// The person's name for the device, safe for a terminal.
  private let device: String

  init(device: String, on loop: EventLoop) {
    self.device = PrintableText.line(device)
    input = LineInput(on: loop)
  }

  /// Shows a step, and waits for the answer to a question. The end of the input is a refusal.
  func answer(_ step: PairingStep) async -> PairingAnswer {
    switch step {
    case .showPasskey(let passkey):
      say("Enter \(Self.digits(passkey)) on \(device).\n")
      return .accepted
    case .showPinCode(let code):
      say("Enter \(PrintableText.line(code)) on \(device).\n")
      return .accepted
    case .confirm(let passkey):
      return await ask("Does \(device) show \(Self.digits(passkey))? [y/n] ", Self.consent)
    case .enterPasskey:
      return await ask("The number that \(device) shows, up to six digits: ", Self.passkey)
    case .enterPinCode:
      return await ask("The code of \(device), as its manual says: ", Self.pinCode)
    }
  }

  /// Repeats the question until the answer is valid.
  private func ask(_ question: String, _ reading: (String) -> PairingAnswer?) async -> PairingAnswer {
    while true {
      say(question)
      guard let line = await input.next() else {
        say("\n")
        return .refused
      }
      // At a terminal the return key has ended the line already.
      if !StandardInput.isTerminal { say("\n") }
      if let answer = reading(String(ConfigurationSyntax.trimmed(line[...]))) { return answer }
    }
  }

  private func say(_ text: String) {
    Progress.clear()
    StandardError.write(text)
  }

  /// `y` or `n`, or the words.
  static func consent(_ text: String) -> PairingAnswer? {
    switch text.lowercased() {
    case "y", "yes": .accepted
    case "n", "no": .refused
    default: nil
    }
  }

  /// One to six digits; blanks may stand between them, as some sensors show them.
  static func passkey(_ text: String) -> PairingAnswer? {
    let digits = text.filter { $0 != " " }
    guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return UInt32(digits).map { .passkey($0) }
  }

  /// 1 to 16 characters, as the Core Specification allows them.
  static func pinCode(_ text: String) -> PairingAnswer? {
    (1...16).contains(text.utf8.count) ? .pinCode(text) : nil
  }

  /// A passkey always has six digits on a display.
  static func digits(_ passkey: UInt32) -> String {
    let text = String(passkey)
    return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
  }
}

/// Standard input, a line at a time, without holding up the loop.
actor LineInput {
  private nonisolated let loop: EventLoop
  private var watch: WatchToken?
  private var line: [UInt8] = []
  private var waiter: CheckedContinuation<String?, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// The next line without its end; nil at the end of the input, or when the task is cancelled.
  func next() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled, waiter == nil else { return continuation.resume(returning: nil) }
        waiter = continuation
        do {
          watch = try loop.watch(STDIN_FILENO, for: .readable) { [weak self] _ in
            self?.assumeIsolated { $0.read() }
          }
        } catch {
          // A file or /dev/null: always readable, which epoll refuses to watch.
          while waiter != nil { read() }
        }
      }
    } onCancel: {
      loop.execute { [weak self] in self?.assumeIsolated { $0.finish(nil) } }
    }
  }

  /// Reads one byte, so that nothing behind the end of the line is consumed.
  private func read() {
    var byte: UInt8 = 0
    let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    guard count == 1 else { return finish(line.isEmpty ? nil : String(decoding: line, as: UTF8.self)) }
    guard byte != UInt8(ascii: "\n") else { return finish(String(decoding: line, as: UTF8.self)) }
    // No answer is longer; without a limit the input could fill the memory.
    if line.count < 256 { line.append(byte) }
  }

  private func finish(_ text: String?) {
    if let watch { loop.cancel(watch) }
    watch = nil
    line = []
    waiter?.resume(returning: text)
    waiter = nil
  }
}
