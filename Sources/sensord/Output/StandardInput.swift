internal import Glibc

/// Where answers come from.
enum StandardInput {
  /// True where a person types.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}
