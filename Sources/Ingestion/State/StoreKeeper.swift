import HealthModel
import SeriesStore

/// Decides when the open store is not to be trusted any more and is opened anew: its disk failed, or somebody deleted,
/// moved or replaced its file. Pure.
///
/// A store that was put in the place of the open one is gone on with once nobody writes to it any more. One that is missing
/// is waited for: were it made anew at once, whoever brings a copy back would write over an open store. The next commit makes
/// it, since a session is not to wait for that.
struct StoreKeeper {
  /// The trust in the open file.
  enum Trust: Hashable {
    case sound
    /// Its disk failed: what is committed into it may be lost.
    case doubtful
    /// The open file is not the one at its path.
    case vanished
  }

  /// The result of a look at the store's path.
  enum Look: Hashable {
    /// The open file is the one at the path, or it is opened by somebody else.
    case done
    /// Look again after this time.
    case again(after: Duration)
    /// Another store is there and stands still: open it.
    case open
  }

  /// The ways to open the store anew before a commit.
  enum Reopening: Hashable {
    case notNeeded
    /// The same file.
    case sameFile
    /// Whatever is at its path now: its folder may be missing, and the list of sensors was in the old one.
    case otherFile
  }

  private(set) var trust = Trust.sound
  /// The file at the path at the last look.
  private var candidate: StoreFileState?
  /// A look at the path is due.
  private(set) var isLooking = false
  /// The store's last change whose deletions are erased from the journal and the captures; nil before the first time.
  var lastErasedChange: ChangeAnchor?

  /// Whoever writes a file is given this long before it is looked at again.
  static let settlingTime = Duration.milliseconds(300)
  static let missingInterval = Duration.seconds(5)
  static let unusableInterval = Duration.seconds(60)

  /// Handles a report of the watch that something happened to the file. `hasVanished`: it has lost its place, or cannot
  /// be asked.
  ///
  /// - Returns: After how long to look; nil where there is no need, or a look is due already.
  mutating func touched(hasVanished: Bool) -> Duration? {
    guard hasVanished, !isLooking else { return nil }
    isLooking = true
    return Self.settlingTime
  }

  /// The look that was due: `found` is what is at the path, nil where nothing whole is.
  mutating func look(hasVanished: Bool, found: StoreFileState?) -> Look {
    isLooking = false
    guard hasVanished else {
      candidate = nil
      return .done
    }
    guard let found, found == candidate else {
      candidate = found
      isLooking = true
      return .again(after: found == nil ? Self.missingInterval : Self.settlingTime)
    }
    candidate = nil
    return .open
  }

  /// Records that the file at the path could not be opened.
  ///
  /// - Returns: The time after which to look again.
  mutating func openingFailed() -> Duration {
    isLooking = true
    return Self.unusableInterval
  }

  /// A commit failed because of the store.
  mutating func commitFailed(_ error: StoreError) {
    guard error.code == .io || error.code == .closed else { return }
    if trust == .sound { trust = .doubtful }
  }

  /// Whether the file has to be asked for its place: one that is not trusted is opened anew anyway.
  var isSound: Bool { trust == .sound }

  /// The file is not the one at its path.
  mutating func vanished() -> LogLine {
    trust = .vanished
    return LogLine(.error, "the store was deleted or replaced; going on with what is at its place, or a new one")
  }

  /// The way to open the store anew before the next commit.
  var reopening: Reopening {
    switch trust {
    case .sound: .notNeeded
    case .doubtful: .sameFile
    case .vanished: .otherFile
    }
  }

  /// The store was opened anew, and holds what belongs into it.
  mutating func reopened() {
    // Changes of another file are counted from the beginning.
    if trust == .vanished { lastErasedChange = .start }
    trust = .sound
  }
}

/// The state of the file at the store's path, from outside: the same twice while nobody writes to it.
struct StoreFileState: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  /// Bytes.
  var size: Int64
  /// Of its last change, in nanoseconds since 1970.
  var modified: Int64
}
