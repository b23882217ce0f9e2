import Glibc
import Synchronization

/// A terminal at which a test sits: it types, and reads what a program writes.
public final class Terminal: Sendable {
  /// Why there is none.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// TIOCSPTLCK and TIOCGPTPEER of `asm-generic/ioctls.h`.
  private static let setLock: UInt = 0x4004_5431
  private static let getPeer: UInt = 0x5441

  private let keyboard: Int32
  private let screen: Int32
  private let shown = Mutex<[UInt8]>([])

  public init() throws {
    keyboard = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: Int32 = 0
    guard keyboard >= 0, unsafe ioctl(keyboard, Self.setLock, &locked) == 0 else {
      throw Failure(description: "no pseudo-terminal: error \(errno)")
    }
    screen = ioctl(keyboard, Self.getPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard screen >= 0 else { throw Failure(description: "the pseudo-terminal cannot be opened: error \(errno)") }
    _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(keyboard)
    close(screen)
  }

  /// Starts a program that reads from this terminal and writes to it.
  public func start(_ path: String, _ arguments: [String], environment: [String: String]) throws -> StartedProgram {
    try StartedProgram(path, arguments, environment: environment, input: screen, output: screen, errors: screen)
  }

  /// Makes it another size, without telling the programs.
  public func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(keyboard, UInt(TIOCSWINSZ), &size)
  }

  /// Types `text`; a line feed is the return key.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(keyboard, bytes, bytes.count)
  }

  /// All that has been on the screen so far, what was typed included.
  public var text: String {
    shown.withLock { shown in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = unsafe read(keyboard, &buffer, buffer.count), count > 0 { shown += buffer[..<count] }
      return String(decoding: shown, as: UTF8.self)
    }
  }
}
