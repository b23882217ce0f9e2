internal import Glibc

/// Texts as C programs are given them: an array of pointers with a null at its end.
enum CStringArray {
  /// Calls `body` with `texts`, which are gone when it returns.
  static func with<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      // Never empty: the null is always there.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}
