import Glibc
import Testing

@testable import sensord

@Suite("LogStream")
struct LogStreamTests {
  @Test("nobody is waited for who does not read; when he does the next line says how many are missing")
  func standingStill() async {
    await #expect(processExitsWith: .success) {
      // Else this would wait for ever.
      alarm(300)
      var ends: [CInt] = [0, 0]
      #expect(unsafe pipe(&ends) == 0)
      let stream = LogStream(descriptor: ends[1])
      let line = String(repeating: "x", count: 99) + "\n"
      for _ in 0..<2000 { stream.write(line, note: { "\($0)\n" }) }
      // A pipe has 16 pages, and says that it has room while one of them is free.
      var bytes = [UInt8](repeating: 0, count: 1 << 17)
      let written = unsafe read(ends[0], &bytes, bytes.count)
      #expect(60_000...65_536 ~= written && written % 100 == 0)
      stream.write("next\n", note: { "\($0)\n" })
      stream.write("last\n", note: { "\($0)\n" })
      let rest = unsafe read(ends[0], &bytes, bytes.count)
      #expect(
        String(decoding: bytes[..<rest], as: UTF8.self)
          == "\(2000 - written / 100) log lines were left out, since nobody read them\nnext\nlast\n")
    }
  }

  @Test("a reader who is gone is no reason to wait or to keep count")
  func closed() async {
    await #expect(processExitsWith: .success) {
      alarm(300)
      signal(SIGPIPE, SIG_IGN)
      var ends: [CInt] = [0, 0]
      #expect(unsafe pipe(&ends) == 0)
      close(ends[0])
      let stream = LogStream(descriptor: ends[1])
      for _ in 0..<10 { stream.write("line\n", note: { "\($0)\n" }) }
    }
  }
}
