internal import Documents
internal import HealthInterchange
internal import HealthModel
internal import SeriesStore
import Support

/// The outcomes of an import of Apple's export, by type.
struct AppleReport: Sendable {
  struct Counts: Sendable {
    var outcomes: [CommitOutcome: Int] = [:]
    /// Values that the store did not have.
    var added = 0
    /// Unchanged samples of which the file has other values.
    var differing = 0
  }

  var types: [String: Counts] = [:]
  var refused: [String: Int] = [:]
  var account = AppleAccount()
  var records = 0

  /// Objects that were stored.
  var stored: Int {
    types.values.reduce(0) { $0 + ($1.outcomes[.stored] ?? 0) + ($1.outcomes[.replaced] ?? 0) }
  }

  mutating func add(_ outcome: ImportOutcome, of type: String) {
    guard let committed = outcome.outcome else {
      refused["route whose workout is not in the store", default: 0] += 1
      return
    }
    types[type, default: Counts()].outcomes[committed, default: 0] += 1
    types[type, default: Counts()].added += outcome.added
    if outcome.differs { types[type, default: Counts()].differing += 1 }
  }

  mutating func add(_ other: AppleReport) {
    for (type, counts) in other.types {
      types[type, default: Counts()].outcomes.merge(counts.outcomes) { $0 + $1 }
      types[type, default: Counts()].added += counts.added
      types[type, default: Counts()].differing += counts.differing
    }
    refused.merge(other.refused) { $0 + $1 }
  }

  private var names: [String] { Set(types.keys).union(account.read.keys).sorted() }

  /// Everything that was left out, by what it was and why.
  var leftOut: [(name: String, count: Int)] {
    let all = account.reading.leftOut.merging(refused) { $0 + $1 }
    return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Lines for a person, each behind `name`.
  func text(_ name: String, isDry: Bool) -> String {
    var lines = [Count.of(records, "record") + (account.exported.map { ", exported \($0)" } ?? "")]
    for type in names {
      let counts = types[type] ?? Counts()
      var outcomes = [
        (CommitOutcome.stored, isDry ? "would be stored" : "stored"),
        (.replaced, isDry ? "would be replaced" : "replaced"), (.deletedBefore, "deleted before"),
        (.unchanged, "known already"),
      ].compactMap { outcome, word in counts.outcomes[outcome].map { "\($0) \(word)" } }
      if counts.differing > 0 {
        outcomes.append(
          "of which \(counts.differing) \(counts.differing == 1 ? "has" : "have") other values in the file, which did not come in"
        )
      }
      lines.append(
        "\(type): \(account.read[type] ?? 0) read, \(counts.added) new"
          + (outcomes.isEmpty ? "" : " (samples: \(outcomes.joined(separator: ", ")))"))
    }
    if account.repeated > 0 {
      lines.append(
        Count.of(account.repeated, "record") + " stood there more than once and "
          + (account.repeated == 1 ? "counts once" : "count once"))
    }
    if account.notAskedFor > 0 {
      lines.append(
        Count.of(account.notAskedFor, "record") + (account.notAskedFor == 1 ? " was" : " were") + " not asked for")
    }
    if !account.unknown.isEmpty {
      let kinds = account.unknown.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      lines.append("left out, of types that sensord does not know: \(kinds.joined(separator: ", "))")
    }
    for (reason, count) in leftOut { lines.append("left out: \(count) × \(reason)") }
    lines += account.reading.notes
    return lines.map { "\(name): \(PrintableText.line($0))\n" }.joined()
  }

  var json: [JSONValue.Member] {
    [
      JSONValue.Member("exported", .string(account.exported)), JSONValue.Member("records", .integer(records)),
      JSONValue.Member(
        "types",
        .object(
          names.map { type in
            let counts = types[type] ?? Counts()
            func count(_ outcome: CommitOutcome) -> JSONValue { .integer(counts.outcomes[outcome] ?? 0) }
            return JSONValue.Member(
              type,
              [
                "read": .integer(account.read[type] ?? 0), "new": .integer(counts.added), "stored": count(.stored),
                "replaced": count(.replaced), "unchanged": count(.unchanged), "deletedBefore": count(.deletedBefore),
                "differing": .integer(counts.differing),
              ])
          })),
      JSONValue.Member("repeated", .integer(account.repeated)),
      JSONValue.Member("notAskedFor", .integer(account.notAskedFor)),
      JSONValue.Member(
        "unknown",
        .object(account.unknown.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .integer($0.value)) })),
      JSONValue.Member(
        "leftOut", .object(leftOut.map { JSONValue.Member($0.name, .integer($0.count)) })),
      JSONValue.Member("notes", .array(account.reading.notes.map { .string($0) })),
    ]
  }
}
