import Foundation
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// `sensord health attachments add` and `remove`, killed or refused at every call that changes a file, and without power at any moment.
@Suite("An attachment whose program is interrupted")
struct AttachmentPowerCutTests {
  private static let object = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let pdf = Array("%PDF-1.4\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n".utf8)
  private static let calls = ["open", "write", "truncate", "fsync", "rename", "unlink"]

  /// A folder with a store that has a prescription, and perhaps a file of it.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("attached-\(UUID().uuidString)")
    var root: String { folder.appendingPathComponent("root").path }
    var store: String { root + "/sensord.sqlite" }
    var file: String { folder.appendingPathComponent("scan.pdf").path }
    var log: URL { folder.appendingPathComponent("log") }

    init() throws {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      try Data(AttachmentPowerCutTests.pdf).write(to: URL(fileURLWithPath: file))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// What it starts with.
    func fill(attaching: Bool) async throws {
      let store = try HealthStore.open(store, for: .writing)
      let glasses = VisionPrescription.glasses(
        GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1)))
      let sample = try NewSample(
        glasses, issued: Timestamp(microseconds: 5), id: AttachmentPowerCutTests.object)
      _ = try await store.save([sample], as: SourceRevision(identifier: "clinic", name: "Clinic"))
      await store.close()
      if attaching { #expect(try run(["add", "3f2a91bc", file]) == 0) }
    }

    func copy(from other: Place) throws {
      try FileManager.default.removeItem(atPath: root)
      try FileManager.default.copyItem(atPath: other.root, toPath: root)
    }

    /// The exit status of `sensord health attachments` under the preloaded library.
    func run(_ arguments: [String], faults: String? = nil) throws -> Int32 {
      let programs = JournalPowerCutTests.buildFolder
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = programs.appendingPathComponent("libPowerCut.so").path
      environment["POWERCUT_ROOT"] = root
      environment["POWERCUT_LOG"] = log.path
      environment["POWERCUT_FAULTS"] = faults
      environment["POWERCUT_SYNC"] = "free"
      environment["SWIFT_BACKTRACE"] = "enable=no"
      let (output, errors) = (try OutputFile(), try OutputFile())
      let process = try StartedProgram(
        programs.appendingPathComponent("sensord").path, ["health", "attachments"] + arguments + ["--store", store],
        environment: environment, output: output.descriptor, errors: errors.descriptor)
      return process.wait()
    }

    /// How many attachments there are once a writer has opened the store; their files are whole, and there is no other.
    func attached(_ comment: String) async throws -> Int {
      let writer = try HealthStore.open(store, for: .writing)
      let found = try await writer.attachments(for: AttachmentPowerCutTests.object)
      #expect(try await writer.check() == [], "\(comment)")
      await writer.close()
      let names = (try? FileManager.default.contentsOfDirectory(atPath: root + "/sensord.attachments")) ?? []
      #expect(names.count == found.count && names.allSatisfy { !$0.hasPrefix(".") }, "\(comment): \(names)")
      return found.count
    }
  }

  /// The arguments that add the file, or remove the only one.
  private static func arguments(isAdding: Bool, in place: Place) async throws -> [String] {
    guard !isAdding else { return ["add", object.uuidString, place.file] }
    let reader = try HealthStore.open(place.store, for: .reading)
    return ["remove", try #require(try await reader.attachments(for: object).first).id.uuidString]
  }

  @Test(
    "killed before, or refused at, any call: both or neither after the next opening; what was said to be done is",
    arguments: [true, false], ["KILL", "EIO", "ENOSPC"])
  func interrupted(isAdding: Bool, fault: String) async throws {
    let start = try Place()
    try await start.fill(attaching: !isAdding)
    let arguments = try await Self.arguments(isAdding: isAdding, in: start)
    var count = 0
    for call in Self.calls {
      for number in 1...200 {
        let place = try Place()
        try place.copy(from: start)
        var arguments = arguments
        if isAdding { arguments[2] = place.file }
        // A full disk stays full.
        let last = fault == "ENOSPC" ? 1_000_000 : number
        let operation = "\(call) \(number)"
        let status = try place.run(arguments, faults: "\(call):\(fault):\(number):\(last):")
        let found = try await place.attached(operation)
        if status == 0 { #expect(found == (isAdding ? 1 : 0), "\(operation)") }
        // What failed, but was not killed, has changed nothing, or for removing has only not cleaned up behind the commit.
        if fault != "KILL", status != 0, isAdding { #expect(found == 0, "\(operation)") }
        count += 1
        if try await Self.isBeyond(place, call, number) { break }
      }
    }
    #expect(count > 15, "adding and removing are many calls")
  }

  /// Whether a program made fewer calls of a kind than the one that was to fail.
  private static func isBeyond(_ place: Place, _ call: String, _ number: Int) async throws -> Bool {
    let operations = DiskOperation.read([UInt8](try Data(contentsOf: place.log)))
    let kinds: [String: [DiskOperation.Kind]] = [
      "open": [.open], "write": [.write], "truncate": [.truncate], "fsync": [.syncBegin], "rename": [.rename],
      "unlink": [.unlink, .removeFolder],
    ]
    // A call that was refused has no entry, but for a sync.
    return operations.count { kinds[call]?.contains($0.kind) == true } < number - (call == "fsync" ? 0 : 1)
  }

  @Test("without power at any moment: both or neither; what was said to be done before is", arguments: [true, false])
  func powerCut(isAdding: Bool) async throws {
    let place = try Place()
    try await place.fill(attaching: !isAdding)
    try? FileManager.default.removeItem(at: place.log)
    let image = try DiskImage(of: place.root)
    let arguments = try await Self.arguments(isAdding: isAdding, in: place)
    #expect(try place.run(arguments) == 0)
    let operations = DiskOperation.read([UInt8](try Data(contentsOf: place.log)))
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var model = DiskModel(holding: image.state, inodes: image.inodes)
    for moment in 0...operations.count {
      if moment > 0 { model.take(operations[moment - 1]) }
      for _ in 0..<2 {
        let cut = try Place()
        try DiskImage.write(model.cut(using: &random), to: cut.root)
        let found = try await cut.attached("call \(moment), seed \(seed)")
        if moment == operations.count { #expect(found == (isAdding ? 1 : 0), "seed \(seed)") }
      }
    }
  }
}
