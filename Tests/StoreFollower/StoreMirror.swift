import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// What a follower has of a store: the identifiers of all objects, and how far it has followed.
struct StoreMirror {
  private(set) var anchor = ChangeAnchor.start
  private(set) var objects: Set<String> = []

  init() {}

  /// What was kept in a file; nothing where there is none.
  init(_ path: String) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
    let lines = text.split(separator: "\n").map(String.init)
    guard let first = lines.first, let anchor = ChangeAnchor(first) else { return }
    self.anchor = anchor
    objects = Set(lines.dropFirst())
  }

  mutating func apply(_ changes: ChangeSet) {
    for object in changes.deleted { objects.remove(object.id.uuidString) }
    for session in changes.sessions { objects.insert(session.id.uuidString) }
    for sample in changes.added { objects.insert(sample.id.uuidString) }
    anchor = changes.anchor
  }

  /// Replaces the file by one call, so that objects and anchor are always of one moment.
  func keep(in path: String) {
    let text = ([anchor.description] + objects.sorted()).joined(separator: "\n") + "\n"
    let draft = "\(path).new"
    guard (try? text.write(toFile: draft, atomically: false, encoding: .utf8)) != nil else { return }
    unsafe rename(draft, path)
  }
}
