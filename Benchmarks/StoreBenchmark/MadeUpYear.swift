import FoundationEssentials
import Glibc
import HealthModel

/// The sessions that `Benchmarks/heart.py` made: 64-bit little-endian integers, for each session its start in milliseconds since
/// 1970, the numbers of its rates and beats, then the stamps (ms since 1970), the rates, and the RR intervals (1/1024 s).
struct MadeUpYear {
  struct Session {
    var start: Timestamp
    var stamps: ArraySlice<Int64>
    var rates: ArraySlice<Int64>
    var intervals: ArraySlice<Int64>
  }

  private(set) var sessions: [Session] = []

  init(path: String) throws {
    guard let file = unsafe fopen(path, "r") else { throw BenchmarkError.unreadable(path) }
    defer { unsafe fclose(file) }
    unsafe fseek(file, 0, SEEK_END)
    let size = unsafe ftell(file)
    unsafe rewind(file)
    let words = unsafe [Int64](unsafeUninitializedCapacity: size / 8) { buffer, count in
      count = unsafe fread(buffer.baseAddress, 8, size / 8, file)
    }
    var position = 0
    while position + 3 <= words.count {
      let rates = Int(words[position + 1])
      let beats = Int(words[position + 2])
      let first = position + 3
      guard first + 2 * rates + beats <= words.count else { throw BenchmarkError.unreadable(path) }
      sessions.append(
        Session(
          start: Timestamp(milliseconds: words[position]), stamps: words[first..<first + rates],
          rates: words[first + rates..<first + 2 * rates],
          intervals: words[first + 2 * rates..<first + 2 * rates + beats]))
      position = first + 2 * rates + beats
    }
  }
}

enum BenchmarkError: Error {
  case unreadable(String)
  case usage
  /// A live update was not what was stored at its change number.
  case differs(change: Int64)
}
