internal import CZlib

/// Deflated bytes on their way through zlib.
@safe final class Inflation {
  enum Form {
    /// Without a header, as in ZIP files.
    case raw
    /// With gzip's header and trailer, which zlib checks.
    case gzip
  }

  enum Step {
    case goesOn
    /// More bytes are needed.
    case needsMore
    case hasEnded
    case isDamaged
    case hasNoMemory
  }

  private var stream = unsafe z_stream()
  private let isReady: Bool

  /// Text of exports shrinks to a tenth or a thirtieth; deflate cannot do more than 1,032.
  static let mostExpansion: Int64 = 300
  /// Below it nothing is refused.
  private static let anyway: Int64 = 16 << 20
  /// The most that is unpacked of one file.
  private static let most: Int64 = 64 << 30

  init(_ form: Form) {
    isReady =
      unsafe inflateInit2_(
        &stream, form == .raw ? -15 : 31, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { _ = unsafe inflateEnd(&stream) }
  }

  /// Whether so many bytes are too many for what they were unpacked from.
  static func isBomb(_ written: Int64, from read: Int64) -> Bool {
    written > most || written > anyway && written / mostExpansion > read
  }

  /// The next file in the same form begins.
  func begin() {
    _ = unsafe inflateReset(&stream)
  }

  /// Unpacks what stands in `input` from `place` on into the room behind `filled`, and moves both.
  func step(_ input: inout [UInt8], _ place: inout Int, into output: inout [UInt8], _ filled: inout Int) -> Step {
    guard isReady else { return .hasNoMemory }
    let (from, to) = (place, filled)
    let result = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress.map { unsafe $0 + from }
        unsafe stream.avail_in = UInt32(input.count - from)
        unsafe stream.next_out = output.baseAddress.map { unsafe $0 + to }
        unsafe stream.avail_out = UInt32(output.count - to)
        return unsafe inflate(&stream, Z_NO_FLUSH)
      }
    }
    place = unsafe input.count - Int(stream.avail_in)
    filled = unsafe output.count - Int(stream.avail_out)
    return switch result {
    case Z_OK: .goesOn
    case Z_BUF_ERROR: (place, filled) == (from, to) ? .needsMore : .goesOn
    case Z_STREAM_END: .hasEnded
    case Z_MEM_ERROR: .hasNoMemory
    default: .isDamaged
    }
  }

  /// The checksum of bytes behind others of that checksum.
  static func checksum(_ before: UInt32, _ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer {
      UInt32(truncatingIfNeeded: unsafe crc32(UInt(before), $0.baseAddress, UInt32($0.count)))
    }
  }
}
