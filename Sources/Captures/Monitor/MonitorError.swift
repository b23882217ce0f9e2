import Glibc

/// Why the monitor channel cannot be read, or its packets cannot be written.
public struct MonitorError: Error, Hashable, Sendable {
  public var code: Code
  /// The system's error number.
  public var errorNumber: Int32
  /// The file, if one is concerned.
  public var path: String?

  public init(_ code: Code, errorNumber: Int32, path: String? = nil) {
    self.code = code
    self.errorNumber = errorNumber
    self.path = path
  }

  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The kernel has no Bluetooth support.
    case noBluetooth
    /// Only root, and programs with the capability to read raw packets, may use the monitor channel.
    case noPermission
    /// The channel failed.
    case channelFailed
    /// The file exists already, or could not be created.
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
