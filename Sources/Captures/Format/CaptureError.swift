/// Why a file gave no capture at all. Damage of single records is a ``CaptureDamage`` instead.
public enum CaptureError: Error, Hashable, Sendable {
  /// The file is empty.
  case empty
  /// The file does not begin like any known capture format.
  case notACapture
  /// The file was written by a newer sensord.
  case newerVersion(found: Int, supported: Int)
  /// The format is known, but this variant of it is not supported: a data link, a link type, classic pcap.
  case unsupported(what: String, found: Int)
  /// The file begins as a capture, but is damaged or truncated before the first record.
  case nothingReadable(CaptureDamage)
  /// The capture has notifications, but no discovery that shows the handle of 0x2A37.
  ///
  /// The caller has to give one: `candidates` are the handles that notify, those with the most notifications first.
  case handleUnknown(candidates: [HandleCandidate])
  /// The capture was read completely and has no notification of 0x2A37.
  case noNotifications(packets: Int)
  /// The capture has more events than the limit.
  case tooLarge(limit: Int)
  /// The file could not be opened or read: the system's error number.
  case unreadable(path: String, errorNumber: Int32)

  /// An attribute handle that notifies in a capture, and the number of its notifications.
  public struct HandleCandidate: Hashable, Sendable {
    public var handle: UInt16
    public var notifications: Int

    public init(handle: UInt16, notifications: Int) {
      self.handle = handle
      self.notifications = notifications
    }
  }
}

extension CaptureError: CustomStringConvertible {
  /// One line for a person: the fault and the remedy. Holds no health data.
  public var description: String {
    switch self {
    case .empty: "the file is empty"
    case .notACapture: "the file is no capture: sensord's own format, btsnoop and pcapng are understood"
    case .newerVersion(let found, let supported):
      "the capture has version \(found), this sensord reads up to \(supported); update it"
    case .unsupported(let what, let found): "\(what) \(found) is not supported"
    case .nothingReadable(let damage): "nothing is readable: \(damage)"
    case .handleUnknown(let candidates):
      "the capture starts after the discovery of its sensor: give the handle of 0x2A37 with --handle"
        + (candidates.isEmpty ? "" : "; these notify: ")
        + candidates.prefix(8).map { "\($0.handle) (\($0.notifications) times)" }.joined(separator: ", ")
    case .noNotifications(let packets): "the capture has \(packets) packets and no heart-rate notification among them"
    case .tooLarge(let limit):
      "the capture has more than \(limit) values, too many for one recording; cut the part out of it that is wanted"
    case .unreadable(let path, let number): "\(path): \(SystemError.text(number))"
    }
  }
}
