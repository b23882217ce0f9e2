// From glibc 2.41 on `winsize` comes with epoll, too.
internal import CLinux
internal import Glibc

/// The size of the terminal behind a descriptor.
struct TerminalSize {
  var rows: Int
  var columns: Int

  /// A terminal that does not say how large it is.
  private static let usual = TerminalSize(rows: 24, columns: 80)

  private init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }

  /// Nil where `descriptor` is no terminal.
  init?(of descriptor: CInt) {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    self = isKnown ? TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col)) : Self.usual
  }
}
