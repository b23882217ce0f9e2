import FoundationEssentials
import Testing

/// Every input of the corpus, and some that are made from it, through the functions that the fuzzer calls.
@Suite("The fuzzer's corpus")
struct CorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzz/Corpus").standardized

  private static func inputs(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = corpus.appending(path: target.rawValue)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, Array(try Data(contentsOf: folder.appending(path: name))))
    }
  }

  @Test("is read without a trap, and every promise is kept", arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let inputs = try Self.inputs(target)
    #expect(inputs.count >= 3, "the corpus of \(target) is there")
    for (name, bytes) in inputs {
      do { try target.read(bytes) } catch { Issue.record("\(target)/\(name): \(error)") }
    }
  }

  @Test("is read cut off anywhere, and with one byte changed", arguments: FuzzTarget.allCases)
  func neighbours(target: FuzzTarget) throws {
    for (name, bytes) in try Self.inputs(target) where bytes.count <= 256 {
      let step = target == .journal || target == .session ? 29 : 5
      for position in stride(from: 0, to: bytes.count, by: step) {
        do {
          try target.read(Array(bytes[..<position]))
          var changed = bytes
          changed[position] ^= 0x81
          try target.read(changed)
        } catch {
          Issue.record("\(target)/\(name), byte \(position): \(error)")
        }
      }
    }
  }

  @Test("a broken promise is told")
  func broken() {
    #expect(throws: BrokenPromise.self) { try BrokenPromise.unless(false, "two and two are five") }
  }
}
