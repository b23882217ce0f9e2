internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import Glibc
internal import SeriesStore

struct RestoreCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a new store of what the centre has of this gateway.",
    usage: """
      sensord-forward restore [--to <path>] [--store <identifier>] [options]
      sensord-forward restore --all [--to <path>] [options]
      """,
    discussion: """
      For a new machine, or after a card was lost. Nothing is ever replaced.

      With '--all' what all stores of the gateway had, each session and sample
      once, in its latest version: for a fresh card.
      """)

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false
  @Option(help: ArgumentHelp("Which store, where the gateway had several.", valueName: "identifier")) var store: String?
  @Flag(help: "What all stores of the gateway had.") var all = false
  @Option(help: ArgumentHelp("Where the new store shall be; that of the configuration otherwise.", valueName: "path"))
  var to: String?

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let (settings, password) = try place.load()
    var status = stat()
    if unsafe lstat(to ?? settings.store, &status) == 0 {
      throw ForwardFailure(
        .cannotCreate,
        "there is something at \(to ?? settings.store) already; move it away, or restore to another place")
    }
    var database = try Forwarder.connect(settings, password: password)
    // One state of the centre, whatever else is forwarded meanwhile.
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      _ = try database.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }
    let list = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try LineList(of: settings.user, in: &database)
    }
    let identity = try identity(settings, list)
    do throws(any Error) {
      var source = try RestorationSource(
        database: database, of: list, gateway: settings.user, store: all ? nil : identity, other: settings.persons.other
      )
      let restoration = try StoreRestoration(
        to ?? settings.store, identity: identity, mode: Self.mode(besides: to ?? settings.store))
      for reference in source.references { try restoration.add(reference) }
      var objects = 0
      while let part = try source.next() {
        for change in part {
          try restoration.add(change)
          objects += change.isDeletion ? 0 : 1
        }
      }
      guard source.damaged.isEmpty else {
        throw ForwardFailure(
          .data,
          "\(source.damaged.count) objects at the centre are not what their digests say, \(source.damaged[0].text) for one; "
            + "nothing was restored. 'sensord-forward forget' leaves out what it names")
      }
      let (files, missing) = try restoreFiles(&source, to: restoration, beside: to ?? settings.store)
      try restoration.finish()
      if missing > 0 {
        Terminal.complain(
          "\(missing) files of attachments are not at the centre, or damaged there, and are missing now")
      }
      if json {
        Terminal.printObject([
          ("objects", "\(objects)"), ("store", "\"\(identity.text)\""), ("files", "\(files)"),
          ("missingFiles", "\(missing)"),
        ])
      } else {
        Terminal.print("\(objects) objects restored to \(to ?? settings.store)")
      }
    } catch let failure as DatabaseFailure {
      throw ForwardFailure(failure)
    } catch let error as StoreError where error.isDamage {
      throw ForwardFailure(
        .data, "what the centre has makes no store: two of its rows have one place; nothing was restored")
    } catch let error as StoreError {
      throw ForwardFailure(error)
    } catch let damage as RestoredObjects.Damage {
      throw ForwardFailure(
        .data, "the centre: a row of sensord_\(damage.table) is none that a store had; nothing was restored")
    }
  }

  /// As the recorder's own store: whoever may look into the folder by its group reads it, the forwarder's service for one.
  private static func mode(besides path: String) -> UInt32 {
    var status = stat()
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard unsafe stat(folder, &status) == 0 else { return 0o600 }
    return status.st_mode & 0o040 == 0 ? 0o600 : 0o640
  }

  /// Restores the files of attachments; how many, and how many are not at the centre as they should be.
  private func restoreFiles(
    _ source: inout RestorationSource, to restoration: StoreRestoration, beside path: String
  ) throws -> (restored: Int, missing: Int) {
    var known: Set<String> = []
    for file in source.files.sorted(by: { $0.digest < $1.digest }) where !known.contains(file.digest) {
      // Without a name: nobody finds half of it.
      var template = Array("\(path).file-XXXXXX".utf8CString)
      let descriptor = unsafe mkstemp(&template)
      guard descriptor >= 0 else {
        throw ForwardFailure(.io, "no file can be made beside \(path): \(unsafe String(cString: strerror(errno)))")
      }
      defer { close(descriptor) }
      unsafe unlink(template)
      var ordinal: Int64 = 0
      var left = file.size
      // Of more bytes than the file has its digest is another.
      while left >= 0, let piece = try source.piece(ordinal, of: file), !piece.isEmpty {
        left -= Int64(piece.count)
        var rest = piece[...]
        while !rest.isEmpty {
          let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
          guard count >= 0 || errno == EINTR else {
            throw ForwardFailure(.io, "\(path).attachments: \(unsafe String(cString: strerror(errno)))")
          }
          rest = rest.dropFirst(max(0, count))
        }
        ordinal += 1
      }
      lseek(descriptor, 0, SEEK_SET)
      do throws(StoreError) {
        try restoration.addFile(from: descriptor, digest: file.digest)
        known.insert(file.digest)
      } catch {
        switch error.code {
        // Another sample may have the same file.
        case .corrupt, .attachment: break
        default: throw error
        }
      }
    }
    return (known.count, Set(source.files.map(\.digest)).subtracting(known).count)
  }

  private func identity(_ settings: Settings, _ list: LineList) throws -> UUID {
    let present = Set(list.entries.map(\.line.store)).sorted()
    if all {
      guard store == nil else { throw ForwardFailure(.usage, "say --store or --all, not both") }
      guard let first = present.first else {
        throw ForwardFailure(.noInput, "the centre has no store of '\(settings.user)'")
      }
      // Of several it is another one.
      return present.count == 1 ? first : UUID()
    }
    if let store {
      guard let asked = UUID(uuidString: store), present.contains(asked) else {
        throw ForwardFailure(.usage, "the centre has no store '\(store)' of '\(settings.user)'")
      }
      return asked
    }
    guard let only = present.first else {
      throw ForwardFailure(.noInput, "the centre has no store of '\(settings.user)'")
    }
    guard present.count == 1 else {
      throw ForwardFailure(
        .usage,
        "the centre has \(present.count) stores of '\(settings.user)'; say which with --store, or --all: "
          + present.map(\.text).joined(separator: ", "))
    }
    return only
  }
}

extension StoreError {
  /// Whether SQLite would not take a row.
  fileprivate var isDamage: Bool { if case .corrupt = code { true } else { false } }
}
