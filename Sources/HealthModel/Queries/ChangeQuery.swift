public import FoundationEssentials

/// The objects that were saved and deleted since a change that the caller has seen.
///
/// The history is complete and permanent: a caller that stores the last anchor misses nothing, however long it was away.
///
/// An anchor that is not of the store's history is refused (`StoreError.Code.foreignAnchor`, `StoreError.Code.lostAnchor`).
/// The caller's copy of the store is invalid then, and the caller has to begin at the start.
public struct ChangeQuery: HealthQuery {
  /// The saved and the deleted objects.
  public typealias Output = ChangeSet

  /// The anchor after the last change that the caller has seen; ``ChangeAnchor/start`` at first.
  public var anchor: ChangeAnchor
  /// Selects samples and sessions. A session matches by its type (``SampleType/session``), source, device, time, metadata
  /// and identifier; it has no figures and is its own session.
  public var predicate: SamplePredicate
  /// The most changes that one answer covers.
  public var limit: Int?

  /// Asks for what came after `anchor`.
  public init(after anchor: ChangeAnchor, predicate: SamplePredicate = .all, limit: Int? = nil) {
    self.anchor = anchor
    self.predicate = predicate
    self.limit = limit
  }

  /// Whether the answer may contain the change: always for a deletion, which is reported whatever the predicate.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.isDeletion || predicate.mayMean(change)
  }

  /// Continues after the answer; at once if its limit has cut it.
  public func next(after answer: ChangeSet) -> (query: ChangeQuery, isDue: Bool) {
    (ChangeQuery(after: answer.anchor, predicate: predicate, limit: limit), answer.hasMore)
  }
}

/// A set of changes. No object is both saved and deleted, so the lists may be applied in any order.
public struct ChangeSet: Hashable, Sendable, Codable {
  /// Samples that were saved and still exist, in the order of saving, if they match the predicate.
  public var added: [HealthSample]
  /// Recording sessions that were saved and still exist, in that order, if they match the predicate. A session replaces
  /// what the caller has under its identifier; its samples follow it, with a limit perhaps in a later answer.
  public var sessions: [SessionSummary]
  /// All deletions in order, whatever the predicate: only type and source of deleted objects are known.
  ///
  /// Objects that have since been saved or restored under the same identifier, and match the predicate, are left out: they
  /// are in the other lists, here or in a later answer, and replace what the caller has.
  public var deleted: [DeletedObject]
  /// The anchor for the next query.
  public var anchor: ChangeAnchor
  /// Whether the limit has cut the answer: there are further changes after the anchor.
  public var hasMore: Bool

  package init(
    added: [HealthSample], sessions: [SessionSummary], deleted: [DeletedObject], anchor: ChangeAnchor, hasMore: Bool
  ) {
    self.added = added
    self.sessions = sessions
    self.deleted = deleted
    self.anchor = anchor
    self.hasMore = hasMore
  }
}

/// A tombstone of a deleted sample or session.
public struct DeletedObject: Hashable, Sendable, Codable {
  /// The identifier of the deleted object.
  public var id: UUID
  /// The type of the object; ``SampleType/session`` for a recording session, nil if the file does not have the type: of a
  /// change that was missing where the store was restored from.
  public var type: SampleType?
  /// The identifier of the program that had saved it; nil in the same case.
  public var source: String?
  /// The time of the deletion.
  public var deleted: Timestamp
  /// The number of the deletion in the history.
  public var change: Int64

  /// Whether it was a recording session and not a sample.
  public var isSession: Bool { type == .session }

  package init(id: UUID, type: SampleType?, source: String?, deleted: Timestamp, change: Int64) {
    self.id = id
    self.type = type
    self.source = source
    self.deleted = deleted
    self.change = change
  }
}

/// A position in the history of one store, up to which a caller has followed the changes. Opaque: a caller stores an anchor and
/// passes it back.
///
/// An anchor identifies the store, a change, and the history before that change. Another store, or an older copy of the same
/// store that was restored and has changed differently since, is reported as `StoreError.Code.foreignAnchor` or
/// `StoreError.Code.lostAnchor`.
public struct ChangeAnchor: Hashable, Sendable, LosslessStringConvertible {
  /// The place in the history of a store; nil for the beginning, and where only the store knows the place.
  package let place: Place?
  /// A random number that stands for a place in a table of the store, and has no meaning for its holder.
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

  /// The position before the first change of any store.
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

extension ChangeAnchor: Codable {
  /// Decodes a line of text; throws if the text is not from ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let anchor = ChangeAnchor(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is no anchor")
    }
    self = anchor
  }

  /// Encodes the anchor as a line of text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
