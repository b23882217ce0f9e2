/// Reads a capture in any supported format.
public enum CaptureFile {
  /// Reads the file at `path`. Its format is recognised by its first bytes, never by its name.
  ///
  /// `handle` is the attribute handle of 0x2A37 in a foreign capture that starts after the discovery; it is used for the
  /// connections whose discovery is not in the file.
  ///
  /// Memory holds a part of the file and what was read, not the file.
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
