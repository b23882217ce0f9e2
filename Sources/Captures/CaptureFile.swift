/// Reads a capture in any supported format.
public enum CaptureFile {
  /// Reads the file at `path`. Its format is recognised by its first bytes, never by its name.
  ///
  /// `handle` is the attribute handle of 0x2A37 in a foreign capture that starts after the discovery; it is used for the
  /// connections whose discovery is not in the file.
  ///
  /// Memory holds a part of the file and the decoded events, not the file.
  ///
  /// - Throws: ``CaptureError`` if nothing could be read.
  public static func read(path: String, handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    var window = try FileWindow(path: path)
    return try read(&window, handle: handle)
  }

  /// Reads `bytes`, the whole content of a capture file; `handle` is as for ``read(path:handle:)``.
  ///
  /// - Throws: ``CaptureError`` if nothing could be read.
  public static func read(bytes: [UInt8], handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    var window = FileWindow(bytes)
    return try read(&window, handle: handle)
  }

  static func read(
    _ window: inout FileWindow, handle: UInt16?, limit: Int = greatestCount
  ) throws(CaptureError) -> CaptureContents {
    if window.bytes.starts(with: BTSnoop.magic) { return try readBTSnoop(&window, handle: handle, limit: limit) }
    if window.bytes.starts(with: PCAPNG.magic) { return try readPCAPNG(&window, handle: handle, limit: limit) }
    if let version = Self.classicPCAPMagic.first(where: window.bytes.starts(with:)) {
      throw .unsupported(what: "classic pcap (convert it to pcapng with editcap), magic", found: Int(version[0]))
    }
    return try CaptureReader.read(&window, limit: limit)
  }

  /// The events that are read of one file at most: those of three months of one sensor. Memory would have to hold them all.
  static let greatestCount = 8_000_000

  /// - Throws: ``CaptureError/tooLarge(limit:)``.
  static func check(_ count: Int, _ limit: Int) throws(CaptureError) {
    if count > limit { throw .tooLarge(limit: limit) }
  }

  private static let classicPCAPMagic: [[UInt8]] = [
    [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
  ]

  private static func readBTSnoop(
    _ window: inout FileWindow, handle: UInt16?, limit: Int
  ) throws(CaptureError) -> CaptureContents {
    var file = try BTSnoop(window.bytes.span, fileLength: window.fileLength)
    var trace = HCITrace()
    repeat {
      while let packet = file.next(window.bytes.span) { trace.handle(packet, window.bytes.span) }
      try check(trace.valueCount, limit)
    } while try window.advance(&file.position)
    return try contents(
      .btsnoop, trace, handle: handle, packets: file.packets, dropped: file.dropped, damages: file.damages)
  }

  private static func readPCAPNG(
    _ window: inout FileWindow, handle: UInt16?, limit: Int
  ) throws(CaptureError) -> CaptureContents {
    var file = PCAPNG(fileLength: window.fileLength)
    var trace = HCITrace()
    repeat {
      while let packet = file.next(window.bytes.span) { trace.handle(packet, window.bytes.span) }
      try check(trace.valueCount, limit)
    } while try window.advance(&file.position)
    if let linkType = file.unsupportedLinkType, !file.hasBluetooth {
      throw .unsupported(what: "pcapng link type", found: linkType)
    }
    return try contents(.pcapng, trace, handle: handle, packets: file.packets, dropped: 0, damages: file.damages)
  }

  private static func contents(
    _ format: CaptureFormat, _ trace: HCITrace, handle: UInt16?, packets: Int, dropped: Int, damages: DamageList
  ) throws(CaptureError) -> CaptureContents {
    let foreign = ForeignCapture(trace, handle: handle)
    let captures = foreign.captures(dropped: dropped)
    if captures.isEmpty {
      let candidates = foreign.candidates
      if !candidates.isEmpty { throw .handleUnknown(candidates: candidates) }
      if let damage = damages.first.first { throw .nothingReadable(damage) }
      throw .noNotifications(packets: packets)
    }
    return CaptureContents(
      format: format, captures: captures, damages: damages.first, damageCount: damages.count)
  }
}

/// The content of a capture file: its sessions, and the places that could not be read.
public struct CaptureContents: Hashable, Sendable {
  public var format: CaptureFormat
  /// One for each session (text) or sensor (foreign formats), in the order of their first records.
  public var captures: [Capture]
  /// The first hundred places that could not be read, in order.
  public var damages: [CaptureDamage]
  /// The number of such places.
  public var damageCount: Int
  /// The first hundred records whose kinds only a later version knows, in order.
  public var unknownRecords: [UnknownRecord]
  /// The number of such records.
  public var unknownRecordCount: Int

  public init(
    format: CaptureFormat, captures: [Capture], damages: [CaptureDamage], damageCount: Int,
    unknownRecords: [UnknownRecord] = [], unknownRecordCount: Int = 0
  ) {
    self.format = format
    self.captures = captures
    self.damages = damages
    self.damageCount = damageCount
    self.unknownRecords = unknownRecords
    self.unknownRecordCount = unknownRecordCount
  }
}

/// A supported format of capture files.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable {
  /// The project's own text format (Documentation/capture-format.md), journal segments included.
  case sensord
  /// btsnoop with data link 1001 (HCI), 1002 (H4) or 2001 (Linux monitor).
  case btsnoop
  /// pcapng with link type 187, 201 or 254.
  case pcapng
}

/// The reason for which a file gave no capture at all. Damage of single records is a ``CaptureDamage`` instead.
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
