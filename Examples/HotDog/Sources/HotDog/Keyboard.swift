import Foundation

/// Calls `pressed` for each key of the terminal, without the return key; returns how the terminal was.
func watchKeys(_ pressed: @escaping @Sendable (UInt8) -> Void) -> termios {
  var former = termios()
  tcgetattr(STDIN_FILENO, &former)
  var settings = former
  settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
  tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  Thread.detachNewThread {
    var key: UInt8 = 0
    while read(STDIN_FILENO, &key, 1) == 1 { pressed(key) }
  }
  return former
}
