import Documents
import Foundation
import HealthModel
import Reports
import SeriesStore
import TestSupport
import Testing

@testable import sensord

/// Files of a prescription on the command line, with the built program.
@Suite("Attachments on the command line")
struct AttachmentsCommandTests {
  private let folder = TemporaryFolder()
  private static let object = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let rate = UUID(uuidString: "4F2A91BC-0000-4000-8000-000000000002")!
  private static let pdf = Array("%PDF-1.4\n(a very private remark)\nstartxref\n9\n%%EOF\n".utf8)

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try BuiltProgram(in: folder).run(["health", "attachments"] + arguments + ["--store", folder.store])
  }

  private func save() async throws {
    let writer = try HealthStore.open(folder.store, for: .writing)
    let moment = Timestamp(microseconds: 1_795_262_400_000_000)
    let glasses = VisionPrescription.glasses(
      GlassesPrescription(rightEye: nil, leftEye: GlassesLensSpecification(sphere: 1)))
    let program = SourceRevision(identifier: "org.example.Optician", name: "Optician")
    _ = try await writer.save([try NewSample(glasses, issued: moment, id: Self.object)], as: program)
    let rate = try NewSample(
      .heartRate, Quantity(60, .countPerMinute), over: TimeSpan(at: moment), id: Self.rate)
    _ = try await writer.save([rate], as: program)
    await writer.close()
  }

  @Test("a file is added, listed in 80 columns, got as it was, and removed")
  func life() async throws {
    try await save()
    let file = try folder.write("scan.png", Self.pdf)
    let added = try run("add", "3f2a", file)
    #expect(added.status == 0 && added.errors == "")
    let id = added.output.trimmingCharacters(in: .newlines)
    let list = try run("list", "3f2a91bc").output
    let lines = list.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 80 })
    let row = "\(id.prefix(8))    3f2a91bc  scan.png  application/pdf     \(Self.pdf.count)"
    #expect(lines.last?.hasPrefix(row) == true, "\(list)")
    #expect(try run("list").output == list)
    let json = try run("list", Self.object.uuidString, "--json").output
    #expect(json.hasPrefix(#"[{"id":"\#(id)","object":"3f2a91bc-0000-4000-8000-000000000001","#), "\(json)")
    #expect(try run("get", "last").output == String(decoding: Self.pdf, as: UTF8.self))
    #expect(try run("get", String(id.prefix(8))).output == String(decoding: Self.pdf, as: UTF8.self))
    #expect(try run("get", id, "--output", folder.path + "/copy").status == 0)
    #expect(folder.bytes(of: "copy") == Self.pdf)
    #expect(try run("remove", String(id.prefix(8))).status == 0)
    #expect(
      try run("list", "3f2a").errors == "There are no attached files. 'sensord health attachments add' attaches one.\n")
    #expect(TemporaryFolder.names(folder.path + "/store.attachments") == [])
  }

  @Test("what a name would tell the terminal to do is not done, and the name is no path")
  func names() async throws {
    try await save()
    let file = try folder.write("a.pdf", Self.pdf)
    for name in ["../../x.pdf", "\u{202E}fdp.exe"] {
      #expect(try run("add", "3f2a", file, "--name", name).status == 0)
    }
    let list = try run("list", "3f2a").output
    #expect(list.contains("../../x.pdf") && !list.contains("\u{202E}"), "\(list)")
    for name in ["a\u{1B}[31m", "", String(repeating: "a", count: 10_240)] {
      let outcome = try run("add", "3f2a", file, "--name", name)
      #expect(outcome.status == ExitStatus.badData.rawValue, "\(outcome.errors)")
      #expect(!outcome.errors.contains("\u{1B}") && !outcome.errors.contains("aaaa"))
    }
  }

  @Test("what cannot be attached is told with its exit code, and leaves nothing")
  func refused() async throws {
    try await save()
    let file = try folder.write("a.pdf", Self.pdf)
    let text = try folder.write("text.pdf", Array("hello".utf8))
    let onRate = try run("add", Self.rate.uuidString, file)
    #expect(onRate.status == ExitStatus.badData.rawValue)
    #expect(onRate.errors.contains("an object of the kind quantity takes no files"), "\(onRate.errors)")
    #expect(try run("add", "4f2a", file).status == ExitStatus.noInput.rawValue)
    let unknown = try run("add", "3f2a", text)
    #expect(unknown.status == ExitStatus.badData.rawValue)
    #expect(unknown.errors.contains("is no PNG, JPEG, HEIC, TIFF or PDF, whatever its name says"), "\(unknown.errors)")
    #expect(try run("add", "3f2a", folder.path + "/missing").status == ExitStatus.noInput.rawValue)
    #expect(try run("get", "beef").status == ExitStatus.noInput.rawValue)
    #expect(try run("remove", "beef").status == ExitStatus.noInput.rawValue)
    #expect(TemporaryFolder.names(folder.path + "/store.attachments") == [])
  }
}
