import FoundationEssentials

/// How far a caller has followed the changes of one store; opaque, to be kept and handed back.
///
/// It names the store, a change, and what led to that change: another store, and an older copy of the same one that was put
/// back (a restored backup) and has gone another way since, are told by ``StoreError/Code/foreignAnchor`` and
/// ``StoreError/Code/lostAnchor``, never taken for the one that the caller knows.
public struct ChangeAnchor: Hashable, Sendable, LosslessStringConvertible {
  /// Nil for the beginning.
  let place: Place?

  struct Place: Hashable {
    var store: UUID
    var number: Int64
    /// The checksum of the change, which covers all changes before it.
    var digest: Int32
  }

  /// Before the first change of any store.
  public static let start = ChangeAnchor(nil)

  init(_ place: Place?) {
    self.place = place
  }

  /// Reads what ``description`` gave, to the letter; nil where it did not, or the text was cut.
  public init?(_ description: String) {
    if description == "start" {
      place = nil
      return
    }
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let store = UUID(uuidString: String(parts[0])), let number = Int64(parts[1]), number > 0,
      let digest = UInt32(parts[2], radix: 16)
    else { return nil }
    place = Place(store: store, number: number, digest: Int32(bitPattern: digest))
    // What was cut is shorter, and a digest of fewer digits would be another one.
    guard self.description == description else { return nil }
  }

  /// A line of ASCII without spaces, for a file.
  public var description: String {
    guard let place else { return "start" }
    let digest = String(UInt32(bitPattern: place.digest), radix: 16)
    let padding = String(repeating: "0", count: 8 - digest.count)
    return "\(place.store.uuidString.lowercased()):\(place.number):\(padding)\(digest)"
  }
}
