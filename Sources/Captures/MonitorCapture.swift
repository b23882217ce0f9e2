import CBluetooth
import CLinux
import Glibc
public import Sensors

/// Writes the traffic between host and Bluetooth adapters to a btsnoop file, for bug reports.
///
/// A capture reads the kernel's monitor channel, beside bluetoothd, and changes nothing. Keys and the data of other
/// devices are not written; see Documentation/capture-format.md.
public struct MonitorCapture: ~Copyable {
  /// The result of a capture so far.
  public struct Progress: Hashable, Sendable {
    /// Packets written.
    public var written = 0
    /// Packets left out because they may hold keys or belong to other devices.
    public var leftOut = 0
  }

  public private(set) var progress = Progress()
  private let channel: OpenFile
  private let file: OpenFile
  private let path: String
  private var privacy: MonitorPrivacy
  private var packet = [UInt8](repeating: 0, count: 6 + 0xFFFF)
  private var pending = BTSnoopEncoder.header

  /// Opens the monitor channel and creates the file at `path`, which must not exist, with permissions 0600.
  ///
  /// `sensors` are the sensors whose data is written, from their next connection on; nil means every device.
  ///
  /// - Throws: ``MonitorError``; no file is left then.
  public init(path: String, sensors: Set<SensorAddress>?) throws(MonitorError) {
    try self.init(channel: Self.openChannel(), path: path, sensors: sensors)
  }

  /// Reads from `channel`, which returns one packet for each read.
  init(channel: OpenFile, path: String, sensors: Set<SensorAddress>?) throws(MonitorError) {
    self.channel = channel
    self.path = path
    privacy = MonitorPrivacy(sensors: sensors.map { Set($0.map(\.bits)) })
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw MonitorError(.cannotCreate, errorNumber: errno, path: path) }
    file = OpenFile(descriptor: descriptor)
  }

  /// Writes packets until `stop` (such as a signalfd) is readable, or the channel ends. Sleeps while no packet comes.
  ///
  /// - Throws: ``MonitorError`` with `channelFailed` or `notWritten`; what was written stays readable.
  public mutating func run(until stop: Int32, progress report: (Progress) -> Void = { _ in }) throws(MonitorError) {
    try flush()
    while true {
      var waits = [
        pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      if unsafe poll(&waits, 2, -1) < 0 {
        guard errno == EINTR else { throw MonitorError(.channelFailed, errorNumber: errno) }
        continue
      }
      let isOpen = try receiveAll()
      try flush()
      report(progress)
      if !isOpen || waits[1].revents != 0 { return }
    }
  }

  /// Reads the available packets; false if the channel has ended.
  private mutating func receiveAll() throws(MonitorError) -> Bool {
    // The buffer is written after each burst, and within a burst that does not end.
    while pending.count < 1 << 16 {
      let length = unsafe recv(channel.descriptor, &packet, packet.count, Int32(MSG_DONTWAIT))
      if length == 0 { return false }
      guard length > 0 else {
        switch errno {
        case EAGAIN: return true
        case EINTR: continue
        default: throw MonitorError(.channelFailed, errorNumber: errno)
        }
      }
      guard let packet = MonitorPacket(packet.span.extracting(first: length)), privacy.allows(packet) else {
        progress.leftOut += 1
        continue
      }
      BTSnoopEncoder.append(packet, microseconds: Self.now(), dropped: 0, to: &pending)
      progress.written += 1
    }
    return true
  }

  private mutating func flush() throws(MonitorError) {
    guard !pending.isEmpty else { return }
    do {
      try file.writeAll(pending)
    } catch {
      throw MonitorError(.notWritten, errorNumber: error.number, path: path)
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// The wall clock in microseconds since 1970, UTC, as btsnoop files hold it.
  private static func now() -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private static func openChannel() throws(MonitorError) -> OpenFile {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_BLUETOOTH, type, BTPROTO_HCI)
    guard descriptor >= 0 else {
      throw MonitorError(errno == EPERM || errno == EACCES ? .noPermission : .noBluetooth, errorNumber: errno)
    }
    let channel = OpenFile(descriptor: descriptor)
    var address = sockaddr_hci(
      hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: UInt16(HCI_DEV_NONE),
      hci_channel: UInt16(HCI_CHANNEL_MONITOR))
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_hci>.size))
      }
    }
    guard status == 0 else {
      throw MonitorError(errno == EPERM || errno == EACCES ? .noPermission : .channelFailed, errorNumber: errno)
    }
    return channel
  }
}

/// The reason for which the monitor channel cannot be read, or its packets cannot be written.
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
