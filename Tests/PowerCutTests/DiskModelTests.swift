import TestSupport
import Testing

@Suite("The model of a disk that loses power")
struct DiskModelTests {
  static func open(_ path: String, _ file: UInt64) -> DiskOperation {
    DiskOperation(kind: .open, file: file, offset: 1, path: path)
  }

  static func write(_ file: UInt64, _ offset: Int64, _ data: [UInt8]) -> DiskOperation {
    DiskOperation(kind: .write, file: file, offset: offset, data: data)
  }

  static func sync(_ file: UInt64, _ path: String, _ number: Int64, result: Int64 = 0) -> [DiskOperation] {
    [
      DiskOperation(kind: .syncBegin, file: file, offset: number, path: path),
      DiskOperation(kind: .syncEnd, file: file, offset: number, result: result, path: path),
    ]
  }

  /// Every state that 300 cuts after these calls leave.
  static func states(_ operations: [DiskOperation]) -> Set<DiskModel.State> {
    var model = DiskModel()
    for operation in operations { model.take(operation) }
    var random = SeededGenerator(seed: 1)
    return Set((0..<300).map { _ in model.cut(using: &random) })
  }

  @Test("without any sync a file may be missing, empty, zeros or whole")
  func unsynced() {
    let states = Self.states([Self.open("a", 1), Self.write(1, 0, [7, 8])])
    #expect(states == [[:], ["a": []], ["a": [0, 0]], ["a": [7, 8]]])
  }

  @Test("a sync of the file keeps its content, and one of the folder its name")
  func synced() {
    let written = [Self.open("a", 1), Self.write(1, 0, [7])]
    #expect(Self.states(written + Self.sync(1, "a", 1)) == [[:], ["a": [7]]])
    #expect(Self.states(written + Self.sync(99, "", 1)) == [["a": []], ["a": [0]], ["a": [7]]])
    #expect(Self.states(written + Self.sync(1, "a", 1) + Self.sync(99, "", 2)) == [["a": [7]]])
  }

  @Test("a sync covers what was written before it began, and one that was switched off covers nothing")
  func cover() {
    let begun = [Self.open("a", 1)] + Self.sync(99, "", 1)
    var late = Self.sync(1, "a", 2)
    late.insert(Self.write(1, 0, [7]), at: 1)
    #expect(Self.states(begun + late).contains(["a": []]))
    #expect(Self.states(begun + [Self.write(1, 0, [7])] + Self.sync(1, "a", 2, result: 1)).contains(["a": []]))
  }

  @Test("what a failed sync should have covered is never sure again, what comes later is")
  func failedSync() {
    let operations =
      [Self.open("a", 1)] + Self.sync(99, "", 1) + [Self.write(1, 0, [7])] + Self.sync(1, "a", 2, result: -1)
      + [Self.write(1, 1, [8])] + Self.sync(1, "a", 3)
    #expect(Self.states(operations) == [["a": [0, 8]], ["a": [7, 8]]])
  }

  @Test("a write is torn at 512 bytes")
  func torn() {
    let operations = [Self.open("a", 1)] + Self.sync(99, "", 1) + [Self.write(1, 0, [UInt8](repeating: 7, count: 600))]
    let states = Self.states(operations)
    let half = [UInt8](repeating: 7, count: 512) + [UInt8](repeating: 0, count: 88)
    #expect(states.contains(["a": half]))
    #expect(states.allSatisfy { $0["a"]?.isEmpty == true || $0["a"]?.count == 600 })
  }

  @Test("a rename is whole or not there, and in order with the names before it")
  func rename() {
    let operations =
      [Self.open("a", 1), Self.write(1, 0, [7])] + Self.sync(1, "a", 1)
      + [DiskOperation(kind: .rename, path: "a", secondPath: "b"), DiskOperation(kind: .unlink, path: "b")]
    #expect(Self.states(operations) == [[:], ["a": [7]], ["b": [7]]])
  }
}
