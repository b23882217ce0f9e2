import Glibc

/// The browsers and programs that may read. Confined to the hub's loop.
final class Locks {
  static let cookieName = "sensord-live"

  var visitors = Visitors()
  var tokens: TokenList
  var hosts: HostRule

  init(hosts: HostRule, tokens: TokenList) {
    self.hosts = hosts
    self.tokens = tokens
  }

  /// The key of a request: a cookie, `Authorization: Bearer`, or the parameter `token` where no header can be sent. Nil where none fits.
  func key(cookies: [String], authorizations: [String], parameter: String?, at now: Duration) -> Key? {
    let name = "\(Self.cookieName)="
    let pairs: [Substring] = cookies.joined(separator: ";").split(separator: ";").map { $0.drop { $0 == " " } }
    let keys = pairs.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    // A browser that the hub let in sends one cookie of this name; of several, at least one is not the hub's.
    if keys.count == 1, visitors.knows(keys[0], at: now) { return .visitor }
    let scheme = "bearer "
    let bearer = authorizations.first { $0.lowercased().hasPrefix(scheme) }.map { String($0.dropFirst(scheme.count)) }
    for presented in [bearer, parameter] {
      if let owner = presented.flatMap({ tokens.owner(of: SecretPrint(of: $0)) }) { return .token(owner) }
    }
    return nil
  }
}

/// The names that tokens may have, for the program and for the hub's own socket.
package enum TokenName {
  /// Refuses a name that no token can have.
  ///
  /// - Throws: A ``LiveFailure`` that says which names are allowed, and what is wrong with this one.
  package static func check(_ name: String) throws(LiveFailure) {
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
  /// - Throws: A ``LiveFailure`` that refers to the list of tokens.
  package static func checkExisting(_ name: String) throws(LiveFailure) {
    guard TokenList.isName(name) else { throw unknown }
  }

  static var unknown: LiveFailure {
    LiveFailure(.noInput, "there is no token of that name; 'sensord-live token list' names all")
  }
}

/// The file of the list of tokens: readable by its owner alone, replaced by rename.
struct TokenFile {
  let path: String

  /// The list; an empty one where there is no file.
  func read() throws(LiveFailure) -> TokenList {
    guard let file = unsafe fopen(path, "re") else {
      guard errno == ENOENT else { throw failure("read", LiveFailure.reason(errno)) }
      return TokenList()
    }
    defer { unsafe fclose(file) }
    // Room for more than the longest list.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    do throws(TokenList.Failure) {
      return try TokenList(String(decoding: bytes[..<count], as: UTF8.self))
    } catch {
      guard case .damaged(let line) = error else { throw failure("read", LiveFailure.reason(EIO)) }
      throw LiveFailure(.badData, "line \(line) of \(path) is no token; delete that line, or the file")
    }
  }

  func write(_ list: TokenList) throws(LiveFailure) {
    do throws(DraftedFile.Failure) {
      try DraftedFile(path: path).write(list.text, isDurable: true)
    } catch {
      throw failure("written", error.reason)
    }
  }

  private func failure(_ what: String, _ reason: String) -> LiveFailure {
    LiveFailure(.cannotCreate, "\(path) cannot be \(what): \(reason); choose another --state")
  }
}
