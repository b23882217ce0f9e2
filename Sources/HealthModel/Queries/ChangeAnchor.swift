package import FoundationEssentials

/// A position in the history of one store, up to which a caller has followed the changes. Opaque; to be kept and passed
/// back.
///
/// It identifies the store, a change, and the history before that change. Another store, or an older copy of the same store
/// that was restored and has changed differently since, is reported as `StoreError.Code.foreignAnchor` or
/// `StoreError.Code.lostAnchor`.
public struct ChangeAnchor: Hashable, Sendable, LosslessStringConvertible {
  /// Where it is in the history of a store; nil for the beginning, and where only the store knows the place.
  package let place: Place?
  /// A random number that stands for a place in a table of the store: it tells its holder nothing.
  package let token: UUID?

  package struct Place: Hashable, Sendable {
    package var store: UUID
    package var number: Int64
    /// The checksum of the change, which covers all earlier changes.
    package var digest: Int32

    package init(store: UUID, number: Int64, digest: Int32) {
      self.store = store
      self.number = number
      self.digest = digest
    }
  }

  private static let tokenMark = "token:"

  /// Before the first change of any store.
  public static let start = ChangeAnchor(nil)

  package init(_ place: Place?) {
    self.place = place
    token = nil
  }

  package init(token: UUID) {
    place = nil
    self.token = token
  }

  /// Parses a text from ``description``; nil for any other text, and for one that was cut.
  public init?(_ description: String) {
    if description == "start" {
      self = .start
      return
    }
    if description.hasPrefix(Self.tokenMark),
      let token = UUID(uuidString: String(description.dropFirst(Self.tokenMark.count)))
    {
      self.init(token: token)
      guard self.description == description else { return nil }
      return
    }
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let store = UUID(uuidString: String(parts[0])), let number = Int64(parts[1]), number > 0,
      let digest = UInt32(parts[2], radix: 16)
    else { return nil }
    self.init(Place(store: store, number: number, digest: Int32(bitPattern: digest)))
    // A truncated text is shorter, and its digest would have fewer digits.
    guard self.description == description else { return nil }
  }

  /// A line of ASCII without spaces, for a file.
  public var description: String {
    if let token { return Self.tokenMark + token.uuidString.lowercased() }
    guard let place else { return "start" }
    let digest = String(UInt32(bitPattern: place.digest), radix: 16)
    let padding = String(repeating: "0", count: 8 - digest.count)
    return "\(place.store.uuidString.lowercased()):\(place.number):\(padding)\(digest)"
  }
}
