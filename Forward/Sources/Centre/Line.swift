public import FoundationEssentials
public import SeriesStore

/// A line of a store's history: one more begins where the store's list of changes is not that of a line any more, or where it was
/// restored.
public struct Line: Hashable, Sendable {
  public var store: UUID
  public var history: Int64

  public init(store: UUID, history: Int64) {
    self.store = store
    self.history = history
  }
}

/// The changes that two lines have in common, as one of them sees it. Numbers of changes are compared within a line only.
public struct Relation: Hashable, Sendable {
  /// The last change of this line that the other one knows, too.
  public var mine: Int64
  /// The last change of the other one that this line knows, too.
  public var theirs: Int64

  public init(mine: Int64, theirs: Int64) {
    self.mine = mine
    self.theirs = theirs
  }

  /// Two lines that have nothing in common.
  public static let none = Relation(mine: 0, theirs: 0)

  /// The same, as the other one sees it.
  public var reversed: Relation { Relation(mine: theirs, theirs: mine) }
}

/// All lines of a gateway, as one of them sees them.
public struct Lines: Hashable, Sendable {
  public var own: Line
  /// The others, with what they have in common with it.
  public var others: [Line: Relation]

  public init(own: Line, others: [Line: Relation]) {
    self.own = own
    self.others = others
  }

  public var count: Int { others.count + 1 }

  /// Whether a change of a line is in this one's list.
  public func knows(_ change: Int64, of line: Line) -> Bool {
    line == own || change <= others[line]?.theirs ?? 0
  }

  /// A deletion of an object that the centre has.
  public struct Deletion: Hashable, Sendable {
    public var line: Line
    /// The greatest number where it was forgotten.
    public var number: Int64
    /// Whether its line has saved the object again.
    public var isOutlived: Bool

    public init(line: Line, number: Int64, isOutlived: Bool) {
      (self.line, self.number, self.isOutlived) = (line, number, isOutlived)
    }
  }

  /// Whether one of these deletions is of what this line saved as a change, and not only of what others saved.
  ///
  /// A deletion of another line is, where the save is before the fork of both.
  public func isDeleted(_ change: Int64, by deletions: [Deletion]) -> Bool {
    deletions.contains { deletion in
      if deletion.number == Int64.max { return true }
      if deletion.line == own { return deletion.number > change }
      return !deletion.isOutlived && change <= others[deletion.line]?.mine ?? 0
    }
  }

  /// Whether an object of this line was deleted, or its session.
  public func isDeleted(_ object: CentreObject, by deletions: [UUID: [Deletion]]) -> Bool {
    if let own = deletions[object.id], isDeleted(object.change, by: own) { return true }
    guard let session = object.session, let own = deletions[session] else { return false }
    return isDeleted(object.sessionChange ?? object.change, by: own)
  }
}

/// The places of a line's changes as the centre has them.
public struct LinkList: Hashable, Sendable {
  /// By the number of the change.
  private var places: [Int64: UInt64] = [:]

  public init() {}

  /// Adds what a row has.
  public mutating func add(from first: Int64, _ bytes: [UInt8]) {
    for (index, start) in stride(from: 0, through: bytes.count - 8, by: 8).enumerated() {
      var word: UInt64 = 0
      for byte in bytes[start..<start + 8] { word = word << 8 | UInt64(byte) }
      places[first + Int64(index)] = word
    }
  }

  /// The places of a store's changes as a row of the centre has them.
  public static func bytes(_ links: some Sequence<ChangeLink>) -> [UInt8] {
    links.flatMap { link in
      [link.checksum, link.time].flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
  }

  /// Whether the change of this number is the same in both lists; false where this one does not have it.
  public func has(_ link: ChangeLink, at number: Int64) -> Bool {
    guard let place = places[number] else { return false }
    let checksum = UInt32(truncatingIfNeeded: place >> 32)
    return checksum == link.checksum || checksum == link.computed
  }

  /// The last change that both lists have: the same number, object and checksum, and the time of the same commit. `links` are those of
  /// the store from its first change on.
  ///
  /// One that is damaged is between two that are not, so that the last one counts; two of three, since a checksum may be the same by
  /// chance.
  public func fork(from links: [ChangeLink]) -> Int64 {
    func isShared(_ number: Int64) -> Bool {
      guard number > 0 else { return true }
      let link = links[Int(number) - 1]
      return has(link, at: number) && UInt32(truncatingIfNeeded: places[number] ?? 0) == link.time
    }
    var number = min(Int64(links.count), places.keys.max() ?? 0)
    while number > 0 {
      if isShared(number), isShared(number - 1) || number > 1 && isShared(number - 2) { return number }
      number -= 1
    }
    return 0
  }
}
