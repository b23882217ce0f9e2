import Glibc

/// Why the monitor channel gives nothing, or nothing can be written of it.
public struct MonitorError: Error, Hashable, Sendable {
  public var code: Code
  /// The system's error number.
  public var errorNumber: Int32
  /// The file concerned, where it is one.
  public var path: String?

  public init(_ code: Code, errorNumber: Int32, path: String? = nil) {
    self.code = code
    self.errorNumber = errorNumber
    self.path = path
  }

  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The kernel has no Bluetooth.
    case noBluetooth
    /// The monitor channel is for root and for programs with the capability to read raw packets.
    case noPermission
    /// The channel failed.
    case channelFailed
    /// The file exists already, or could not be made.
    case cannotCreate
    /// The file could not be written.
    case notWritten
  }
}

extension MonitorError: CustomStringConvertible {
  /// One line for a person: the cause, and the remedy where there is one.
  public var description: String {
    let text = SystemError.text(errorNumber)
    return switch code {
    case .noBluetooth: "the kernel has no Bluetooth (\(text)): load the module `bluetooth`"
    case .noPermission: "the Bluetooth monitor needs root or the capability CAP_NET_RAW (\(text)): try sudo"
    case .channelFailed: "the Bluetooth monitor failed: \(text)"
    case .cannotCreate:
      errorNumber == EEXIST
        ? "\(path ?? "") exists already: name another file" : "\(path ?? ""): cannot be created: \(text)"
    case .notWritten: "\(path ?? ""): cannot be written: \(text)"
    }
  }
}
