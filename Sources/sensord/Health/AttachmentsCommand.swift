import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health attachments`: the files that belong to prescriptions and clinical records.
struct AttachmentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "Add, list, get and remove the files of prescriptions and records.",
    discussion: """
      A prescription or a clinical record can have files: PNG, JPEG, HEIC, TIFF or
      PDF, as their bytes say, of 64 MiB at most. They are deleted with it.

        sensord health attachments add last scan.pdf
        sensord health attachments list
      """,
    subcommands: [
      AttachmentsListCommand.self, AttachmentsAddCommand.self, AttachmentsGetCommand.self,
      AttachmentsRemoveCommand.self,
    ])
}

/// `sensord health attachments list [OBJECT]`.
struct AttachmentsListCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List attached files.",
    usage: "sensord health attachments list [<object>] [options]")

  @Argument(help: "The first digits of a prescription's or record's name, or last; files of all without.")
  var object: String?

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let name = object
    let found = try list.read { store async throws -> [Attachment] in
      guard let name else { return try await store?.allAttachments() ?? [] }
      let object = try await AttachmentsCommand.object(name, in: store)
      return try await store?.attachments(for: object) ?? []
    }
    return Listing(
      isEmpty: found.isEmpty,
      json: { Array((JSONValue.array(found.map(AttachmentsCommand.json)).text + "\n").utf8) },
      rows: { AttachmentsCommand.table(found, columns: $0) },
      absence: "There are no attached files. 'sensord health attachments add' attaches one.\n")
  }
}

/// `sensord health attachments add OBJECT FILE`.
struct AttachmentsAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Attach a file to a prescription or record.",
    usage: "sensord health attachments add <object> <file> [--name <name>] [options]",
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
      let id = try await AttachmentsCommand.object(object, in: writer)
      Progress.show("copying")
      defer { Progress.clear() }
      let added = try await writer.addAttachment(to: id, name: name, from: descriptor)
      await writer.close()
      return added
    }
    try StandardOutput.write(
      json ? AttachmentsCommand.json(added).text + "\n" : "\(added.id.uuidString.lowercased())\n")
  }
}

/// `sensord health attachments get ATTACHMENT`.
struct AttachmentsGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Write an attached file to standard output, or to a file.",
    usage: "sensord health attachments get <attachment> [--output <file>] [options]",
    discussion: "The name that the file has in the store is never used as a path.")

  @Argument(help: "The first digits of the attachment's name, or last.")
  var attachment: String

  @Option(name: .shortAndLong, help: "Write to this file; it appears when it is whole.", completion: .file())
  var output: String?

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let name = attachment
    let reader = try store.openToRead()
    let found = try CommandLoop.run { try await AttachmentsCommand.attachment(name, in: reader) }
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

/// `sensord health attachments remove ATTACHMENT`.
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
      try await writer.removeAttachment(AttachmentsCommand.attachment(name, in: writer).id)
      await writer.close()
    }
  }
}

/// The files of attachments, as the commands of `sensord health attachments` find and show them.
extension AttachmentsCommand {
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
    if store != nil, let id = UUID(uuidString: name) { return id }
    return try await SampleNames.documents.sample(name, in: store).id
  }

  /// The file that a person means.
  @concurrent static func attachment(_ name: String, in store: HealthStore?) async throws -> Attachment {
    try await SampleNames.attachments.sample(name, of: store?.allAttachments() ?? [])
  }
}
