import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord attachments`: the files that belong to prescriptions and clinical records.
struct AttachmentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "Add, list, get and remove the files of prescriptions and records.",
    discussion: """
      A prescription or a clinical record can have files: PNG, JPEG, HEIC, TIFF or
      PDF, as their bytes say, of 64 MiB at most. They are deleted with it.

        sensord attachments add last scan.pdf
        sensord attachments list
      """,
    subcommands: [
      AttachmentsListCommand.self, AttachmentsAddCommand.self, AttachmentsGetCommand.self,
      AttachmentsRemoveCommand.self,
    ])
}

/// `sensord attachments list [OBJECT]`.
struct AttachmentsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List attached files.",
    usage: "sensord attachments list [<object>] [options]")

  @Argument(help: "The first digits of a prescription's or record's name, or last; files of all without.")
  var object: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the list as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let reader = try store.openToRead()
    let name = object
    let found = try CommandLoop.run { () async throws -> [Attachment] in
      if let name {
        let object = try await AttachmentListing.object(name, in: reader)
        return try await reader?.attachments(for: object) ?? []
      }
      return try await reader?.allAttachments() ?? []
    }
    if json { return try StandardOutput.write(AttachmentListing.json(found).text + "\n") }
    guard !found.isEmpty else {
      return StandardError.write("There are no attached files. 'sensord attachments add' attaches one.\n")
    }
    try StandardOutput.write(AttachmentListing.table(found, columns: StandardOutput.columns))
  }
}

/// `sensord attachments add OBJECT FILE`.
struct AttachmentsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Attach a file to a prescription or record.",
    usage: "sensord attachments add <object> <file> [--name <name>] [options]",
    discussion: "The file is copied. Of its path only the last part is kept, as its name.")

  @Argument(help: "The first digits of the prescription's or record's name, or last.")
  var object: String

  @Argument(help: "The file.", completion: .file())
  var file: String

  @Option(help: "Another name than the file's own.")
  var name: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what was added as JSON.")
  var json = false

  mutating func run() throws {
    let writer = try store.openToWrite(making: false)
    let (object, path) = (object, file)
    let name = name ?? path.split(separator: "/").last.map(String.init) ?? path
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(errno, "cannot read \(path)", otherwise: .missing) }
    defer { close(descriptor) }
    let added = try CommandLoop.run {
      let id = try await AttachmentListing.object(object, in: writer)
      Progress.show("copying")
      defer { Progress.clear() }
      let added = try await writer.addAttachment(to: id, name: name, from: descriptor)
      await writer.close()
      return added
    }
    try StandardOutput.write(
      json ? AttachmentListing.json(added).text + "\n" : "\(added.id.uuidString.lowercased())\n")
  }
}

/// `sensord attachments get ATTACHMENT`.
struct AttachmentsGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Write an attached file to standard output, or to a file.",
    discussion: "The name that the file has in the store is never used as a path.")

  @Argument(help: "The first digits of the attachment's name, or last.")
  var attachment: String

  @Option(name: .shortAndLong, help: "Write to this file; it appears when it is whole.", completion: .file())
  var output: String?

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let name = attachment
    let reader = try store.openToRead()
    let found = try CommandLoop.run { try await AttachmentListing.attachment(name, in: reader) }
    guard output != nil || isatty(STDOUT_FILENO) == 0 else {
      throw CommandFailure(.usage, "a file would disturb the terminal", remedy: "name one with --output FILE")
    }
    let path = output
    try CommandLoop.run {
      guard var data = try await reader?.data(of: found) else { return }
      guard let path else {
        while let piece = try data.next() { try StandardOutput.write(piece) }
        return
      }
      defer { Progress.clear() }
      let file = try ReplacedFile(path: path)
      var done = 0
      while let piece = try data.next() {
        try file.write(piece)
        done += piece.count
        if done % (1 << 20) == 0 { Progress.show("\(done >> 20) MiB of \(found.size >> 20)") }
      }
      try file.finish()
    }
  }
}

/// `sensord attachments remove ATTACHMENT`.
struct AttachmentsRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an attached file for good.")

  @Argument(help: "The first digits of the attachment's name, or last.")
  var attachment: String

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let writer = try store.openToWrite(making: false)
    let name = attachment
    try CommandLoop.run {
      try await writer.removeAttachment(AttachmentListing.attachment(name, in: writer).id)
      await writer.close()
    }
  }
}

/// The files of attachments, as the commands of `sensord attachments` find and show them.
enum AttachmentListing {
  /// One row for each file.
  static func table(_ attachments: [Attachment], columns: Int) -> String {
    var table = TextTable([
      .init("Attachment"), .init("Of"), .init("Name", shrinks: true), .init("Type"), .init("Bytes", .right),
      .init("Added"),
    ])
    for attachment in attachments {
      table.add([
        short(attachment.id), short(attachment.object), attachment.name, attachment.contentType.rawValue,
        String(attachment.size), LocalTime.minute(attachment.added.microseconds),
      ])
    }
    return table.rendered(columns: columns)
  }

  private static func short(_ id: UUID) -> String { String(id.uuidString.lowercased().prefix(8)) }

  static func json(_ attachments: [Attachment]) -> JSONValue { .array(attachments.map { json($0) }) }

  static func json(_ attachment: Attachment) -> JSONValue {
    [
      "id": .string(attachment.id.uuidString.lowercased()),
      "object": .string(attachment.object.uuidString.lowercased()), "name": .string(attachment.name),
      "contentType": .string(attachment.contentType.rawValue), "size": .integer(attachment.size),
      "sha256": .string(attachment.digest), "added": .integer(Int(attachment.added.microseconds)),
    ]
  }

  /// The object that a person means: a whole identifier of any object, or the name of an object that can have files.
  @concurrent static func object(_ name: String, in store: HealthStore?) async throws -> UUID {
    guard let store else { return try SampleNames.documents.sample(name, of: [HealthSample]()).id }
    if let id = UUID(uuidString: name) { return id }
    let samples = try await SampleQuery(.or([.type(.visionPrescription), .clinicalRecords])).result(for: store).value
    return try SampleNames.documents.sample(name, of: samples).id
  }

  /// The file that a person means.
  @concurrent static func attachment(_ name: String, in store: HealthStore?) async throws -> Attachment {
    try await SampleNames.attachments.sample(name, of: store?.allAttachments() ?? [])
  }
}
