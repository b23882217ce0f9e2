/// Why an operation of the journal failed. Holds no health data.
public struct JournalError: Error, Hashable, Sendable {
  public var code: Code
  /// The system's error number, if a system call failed.
  public var errorNumber: Int32?
  /// The folder or file.
  public var path: String
  /// Records that were written but that a power cut could now lose, after a failed sync.
  public var recordsAtRisk: Int

  public init(_ code: Code, errorNumber: Int32? = nil, path: String, recordsAtRisk: Int = 0) {
    self.code = code
    self.errorNumber = errorNumber
    self.path = path
    self.recordsAtRisk = recordsAtRisk
  }

  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The folder could not be created or opened.
    case cannotOpen
    /// Another recorder has this journal open.
    case locked
    /// The folder or a segment could not be read.
    case cannotRead
    /// The events of this call were not written. Earlier ones are, and the next call may succeed.
    case notWritten
    /// The sync failed, but everything that it should have covered was written again and synced: nothing is lost.
    case rewritten
    /// The sync failed, and so did writing again; see ``JournalError/recordsAtRisk``. The next sync tries again.
    case notSynced
    /// Somebody deleted segments or the folder. What open descriptors have was written again; older segments are lost.
    case segmentsVanished
    /// The session was never opened here, or is already committed.
    case unknownSession
    /// Segments that are no longer needed could not be deleted; the next sync tries again.
    case notPruned
  }
}

extension JournalError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    let what =
      switch code {
      case .cannotOpen: "the journal cannot be opened"
      case .locked: "another recorder uses this journal"
      case .cannotRead: "the journal cannot be read"
      case .notWritten: "values could not be written to the journal"
      case .rewritten: "a sync of the journal failed; its records were written again"
      case .notSynced: "a sync of the journal failed; \(recordsAtRisk) records may be lost at a power cut"
      case .segmentsVanished: "segments of the journal were deleted or cut by somebody else"
      case .unknownSession: "the session is not open in this journal"
      case .notPruned: "old segments of the journal cannot be deleted"
      }
    return "\(path): \(what)" + (errorNumber.map { ": \(SystemError.text($0))" } ?? "")
  }
}
