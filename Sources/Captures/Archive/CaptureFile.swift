import Glibc

/// Reads a capture in any supported format.
public enum CaptureFile {
  /// Reads the file at `path`. Its format is recognised by its first bytes, never by its name.
  ///
  /// `handle` is the attribute handle of 0x2A37 in a foreign capture that starts after the discovery; it is used for the
  /// connections whose discovery is not in the file.
  ///
  /// Of a file that is no capture only the beginning is read, and files of more than ``greatestSize`` bytes are refused.
  ///
  /// - Throws: ``CaptureError`` if nothing could be read.
  public static func read(path: String, handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    let file: OpenFile
    let size: Int
    let beginning: [UInt8]
    do throws(SystemError) {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw .last }
      file = OpenFile(descriptor: descriptor)
      size = Int(try file.status().st_size)
      beginning = try file.readAll(upTo: lengthOfBeginning)
    } catch {
      throw .unreadable(path: path, errorNumber: error.number)
    }
    // A fault in the first bytes is reported before the size is checked.
    guard size > beginning.count else { return try read(bytes: beginning, handle: handle) }
    guard mayBeCapture(beginning) else { return try CaptureReader.read(beginning) }
    guard size <= greatestSize else { throw .tooLarge(bytes: size, limit: greatestSize) }
    let bytes: [UInt8]
    do { bytes = try file.readAll() } catch { throw .unreadable(path: path, errorNumber: error.number) }
    return try read(bytes: bytes, handle: handle)
  }

  /// In bytes. A day of one sensor is 5 MB in our own format. A controller's whole traffic is far more, but a part can be
  /// cut out of it.
  static let greatestSize = 256 << 20
  /// The bytes needed to tell whether a file is a capture: ``TextHeader`` looks no further for records behind a damaged
  /// first line.
  private static let lengthOfBeginning = 1 << 16

  private static func mayBeCapture(_ beginning: [UInt8]) -> Bool {
    if ([BTSnoop.magic, PCAPNG.magic] + classicPCAPMagic).contains(where: beginning.starts(with:)) { return true }
    return switch TextHeader.read(beginning.span) {
    case .capture, .damaged: true
    case .newer, .cutOff, .foreign: false
    }
  }

  /// Reads `bytes`, the whole content of a capture file; `handle` is as for ``read(path:handle:)``.
  ///
  /// - Throws: ``CaptureError`` if nothing could be read.
  public static func read(bytes: [UInt8], handle: UInt16? = nil) throws(CaptureError) -> CaptureContents {
    if bytes.starts(with: BTSnoop.magic) { return try readBTSnoop(bytes, handle: handle) }
    if bytes.starts(with: PCAPNG.magic) { return try readPCAPNG(bytes, handle: handle) }
    if let version = Self.classicPCAPMagic.first(where: bytes.starts(with:)) {
      throw .unsupported(what: "classic pcap (convert it to pcapng with editcap), magic", found: Int(version[0]))
    }
    return try CaptureReader.read(bytes)
  }

  private static let classicPCAPMagic: [[UInt8]] = [
    [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
  ]

  private static func readBTSnoop(_ bytes: [UInt8], handle: UInt16?) throws(CaptureError) -> CaptureContents {
    var file = try BTSnoop(bytes.span)
    var trace = HCITrace()
    while let packet = file.next(bytes.span) { trace.handle(packet, bytes.span) }
    return try contents(
      .btsnoop, trace, handle: handle, packets: file.packets, dropped: file.dropped, damages: file.damages)
  }

  private static func readPCAPNG(_ bytes: [UInt8], handle: UInt16?) throws(CaptureError) -> CaptureContents {
    var file = PCAPNG()
    var trace = HCITrace()
    while let packet = file.next(bytes.span) { trace.handle(packet, bytes.span) }
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
