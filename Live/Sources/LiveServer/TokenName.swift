internal import LiveLocks

/// The names that tokens may have, for the program and for the hub's own socket.
public enum TokenName {
  /// Refuses a name that no token can have.
  ///
  /// - Throws: A ``LiveFailure`` that says which names are allowed, and what is wrong with this one.
  public static func check(_ name: String) throws(LiveFailure) {
    guard !TokenList.isName(name) else { return }
    let fault =
      switch name.utf8.count {
      case 0: "this one is empty"
      case ...TokenList.longestName: "this one has other characters"
      default: "this one has \(name.utf8.count) bytes"
      }
    throw LiveFailure(
      .usage,
      "a token's name has 1 to \(TokenList.longestName) of the ASCII letters, digits, '.', '_' and '-'; \(fault)")
  }

  /// Refuses a name that no token can have, where an existing token is meant.
  ///
  /// - Throws: A ``LiveFailure`` that says how the tokens are called.
  public static func checkExisting(_ name: String) throws(LiveFailure) {
    guard TokenList.isName(name) else { throw unknown }
  }

  static var unknown: LiveFailure {
    LiveFailure(.noInput, "there is no token of that name; 'sensord-live token list' names all")
  }
}
