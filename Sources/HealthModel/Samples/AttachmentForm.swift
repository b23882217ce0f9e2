/// The check of a file's type by its bytes alone.
///
/// The first bytes decide about the type, and the file has to be a whole one of that type:
/// - PNG: the signature, `IHDR` first, chunk after chunk up to `IEND`, which ends the file.
/// - JPEG: segment after segment with a frame and a scan, up to the end of the image. What follows that (a second picture of a
///   camera, padding) belongs to no type.
/// - TIFF: a header of either byte order, and a first directory that lies in the file and has entries.
/// - HEIC: a `ftyp` box that names a brand of HEVC, and box after box, one of them `meta`, which end with the file.
/// - PDF: `%PDF-1.` or `%PDF-2.` as the first bytes; `startxref` and `%%EOF` in the last 1024.
///
/// A picture with `%PDF-` in its first 1024 bytes, where readers of PDF look for it, is ambiguous and refused.
public struct AttachmentForm {
  /// Bytes of the file: as many as asked for, fewer at its end.
  public typealias Reader = (_ offset: Int, _ count: Int) throws(AttachmentError) -> [UInt8]

  /// The number of bytes at the beginning of a file that decide about its type.
  public static let headLength = 1024

  private var window: [UInt8] = []
  private var windowStart = 0
  private let size: Int
  private let read: Reader

  private init(size: Int, read: @escaping Reader) {
    self.size = size
    self.read = read
  }

  /// The type of a file of `size` bytes, which is read piece by piece.
  ///
  /// - Throws: ``AttachmentError/empty``, ``AttachmentError/tooLarge``, ``AttachmentError/unknownContent``,
  ///   ``AttachmentError/malformed(_:)`` or ``AttachmentError/ambiguous(_:_:)``.
  public static func type(size: Int, read: @escaping Reader) throws(AttachmentError) -> AttachmentContentType {
    guard size > 0 else { throw .empty }
    guard size <= Attachment.largest else { throw .tooLarge }
    let head = try read(0, headLength)
    let type = try beginning(head)
    var form = AttachmentForm(size: size, read: read)
    let isWhole =
      switch type {
      case .png: try form.isPNG()
      case .jpeg: try form.isJPEG()
      case .tiff: try form.isTIFF()
      case .heic: try form.isHEIC()
      default: try form.isPDF()
      }
    guard isWhole else { throw .malformed(type) }
    return type
  }

  /// The type as which a file with this head begins; an ambiguous or unknown one needs no further reading.
  public static func beginning(_ head: [UInt8]) throws(AttachmentError) -> AttachmentContentType {
    guard let type = signature(head) else { throw .unknownContent }
    let mark = Array("%PDF-".utf8)
    let last = min(head.count, headLength) - mark.count
    if type != .pdf, last >= 0, (0...last).contains(where: { head[$0..<$0 + mark.count].elementsEqual(mark) }) {
      throw .ambiguous(type, .pdf)
    }
    return type
  }

  private static func signature(_ head: [UInt8]) -> AttachmentContentType? {
    func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
    if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if has([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if has([0x49, 0x49, 0x2A, 0x00]) || has([0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
    if has(Array("%PDF-1.".utf8)) || has(Array("%PDF-2.".utf8)) { return .pdf }
    guard has(Array("ftyp".utf8), at: 4) else { return nil }
    let length = min(head.count, head.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    // The major brand, and the compatible ones behind its version.
    let brands = stride(from: 8, through: length - 4, by: 4).filter { $0 != 12 }.map { head[$0..<$0 + 4] }
    let known = ["heic", "heix", "heim", "heis"].map { Array($0.utf8) }
    return brands.contains { brand in known.contains { brand.elementsEqual($0) } } ? .heic : nil
  }

  /// The bytes at a place, as many as are there; small pieces come from one that was read before.
  private mutating func bytes(at offset: Int, _ count: Int) throws(AttachmentError) -> ArraySlice<UInt8> {
    guard offset >= 0, offset < size else { return [] }
    if offset < windowStart || offset + count > windowStart + window.count {
      window = try read(offset, max(count, 65_536))
      windowStart = offset
    }
    return window.dropFirst(offset - windowStart).prefix(count)
  }

  private mutating func number(
    at offset: Int, _ count: Int, isLittleEndian: Bool = false
  ) throws(AttachmentError) -> Int? {
    let found = try bytes(at: offset, count)
    guard found.count == count else { return nil }
    return isLittleEndian
      ? found.reversed().reduce(0) { $0 << 8 | Int($1) } : found.reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func isPNG() throws(AttachmentError) -> Bool {
    var place = 8
    var isFirst = true
    while let length = try number(at: place, 4) {
      let name = try bytes(at: place + 4, 4)
      guard length < 1 << 31, place + 12 + length <= size else { return false }
      if isFirst {
        guard name.elementsEqual("IHDR".utf8), length == 13, let width = try number(at: place + 8, 4),
          let height = try number(at: place + 12, 4), width > 0, height > 0
        else { return false }
        isFirst = false
      }
      place += 12 + length
      if name.elementsEqual("IEND".utf8) { return length == 0 && place == size }
    }
    return false
  }

  private mutating func isJPEG() throws(AttachmentError) -> Bool {
    var place = 2
    var (hasFrame, hasScan) = (false, false)
    while let marker = try number(at: place, 2) {
      guard marker >> 8 == 0xFF else { return false }
      let code = marker & 0xFF
      switch code {
      // Fill bytes may stand before a marker.
      case 0xFF: place += 1
      case 0xD9: return hasFrame && hasScan
      case 0x01, 0xD0...0xD7: place += 2
      case 0x00, 0xD8: return false
      default:
        guard let length = try number(at: place + 2, 2), length >= 2, place + 2 + length <= size else { return false }
        place += 2 + length
        // Frames of every kind; 0xC4, 0xC8 and 0xCC are tables.
        if 0xC0...0xCF ~= code, ![0xC4, 0xC8, 0xCC].contains(code) { hasFrame = true }
        if code == 0xDA {
          hasScan = true
          guard try skipScan(&place) else { return false }
        }
      }
    }
    return false
  }

  /// Goes to the marker behind the coded bytes of a scan, in which 0xFF is followed by 0 or is a restart.
  private mutating func skipScan(_ place: inout Int) throws(AttachmentError) -> Bool {
    while true {
      let piece = try bytes(at: place, 32_768)
      guard piece.count >= 2 else { return false }
      guard let mark = piece.dropLast().firstIndex(of: 0xFF) else {
        place += piece.count - 1
        continue
      }
      place += mark - piece.startIndex
      let next = piece[mark + 1]
      if next != 0, next != 0xFF, !(0xD0...0xD7 ~= next) { return true }
      place += next == 0xFF ? 1 : 2
    }
  }

  private mutating func isTIFF() throws(AttachmentError) -> Bool {
    let isLittle = try number(at: 0, 1) == 0x49
    guard let place = try number(at: 4, 4, isLittleEndian: isLittle), place >= 8,
      let entries = try number(at: place, 2, isLittleEndian: isLittle)
    else { return false }
    return entries > 0 && place + 2 + 12 * entries + 4 <= size
  }

  private mutating func isHEIC() throws(AttachmentError) -> Bool {
    var place = 0
    var hasMeta = false
    while place < size {
      guard var length = try number(at: place, 4) else { return false }
      let name = try bytes(at: place + 4, 4)
      guard name.count == 4 else { return false }
      if name.elementsEqual("meta".utf8) { hasMeta = true }
      var least = 8
      if length == 1 {
        guard let high = try number(at: place + 8, 4), high == 0, let low = try number(at: place + 12, 4) else {
          return false
        }
        (length, least) = (low, 16)
      } else if length == 0 {
        length = size - place
      }
      guard length >= least, place + length <= size else { return false }
      place += length
    }
    return hasMeta
  }

  private mutating func isPDF() throws(AttachmentError) -> Bool {
    let tail = Array(try bytes(at: max(0, size - 1024), 1024))
    func has(_ text: String) -> Bool {
      let mark = Array(text.utf8)
      return tail.indices.contains { tail[$0...].starts(with: mark) }
    }
    return has("startxref") && has("%%EOF")
  }
}
