internal import Glibc

/// Why something cannot be done with a file or a folder: what failed, why, and what to do about it, for a person.
package struct FileError: Error, Hashable, Sendable {
  /// What kind of failure it is, for a program.
  package enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// It holds something else than it should, or is no file.
    case unsuitable
    /// It, or a folder for it, cannot be made there.
    case cannotCreate
    /// The disk is full or broken.
    case inputOutput
    case permission
    /// What is needed of the system is not there.
    case unavailable
    /// Nothing says where the file is.
    case unplaced
    /// The system refuses what no program should be refused.
    case system
  }

  package var code: Code
  /// What failed and why, without a full stop at the end.
  package var message: String
  /// What the reader can do, as a command or a short clause.
  package var remedy: String?

  package init(_ code: Code, _ message: String, remedy: String? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// `what: why`, with the code that fits the error number of the system, and `otherwise` where none does.
  package init(_ number: CInt, _ what: String, otherwise: Code) {
    self.init(Code(number, otherwise: otherwise), "\(what): \(Self.reason(number))")
  }

  /// The service's recordings are for root and the members of its group.
  package static let notInGroup = FileError(
    .permission, "you may not see what the service records",
    remedy: "sudo usermod -aG sensord $USER, then log in again")

  /// The system's words for an error number, without a capital letter.
  package static func reason(_ number: CInt) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    let words = unsafe String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}

extension FileError.Code {
  /// The code that fits an error number. A missing folder is for `otherwise` to judge: it can be a file that was asked
  /// for, or the place for a new one.
  package init(_ number: CInt, otherwise: Self) {
    self =
      switch number {
      case EACCES, EPERM, EROFS: .permission
      case EIO, ENOSPC, EDQUOT, EFBIG: .inputOutput
      case ENOENT where otherwise == .inputOutput, EISDIR where otherwise == .inputOutput: .missing
      default: otherwise
      }
  }
}
