internal import Documents
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord hearing --rescan`: makes the stored events of headphones those that the sound in the store leads to. Events of other
/// programs stay.
struct ExposureScan {
  private var added = 0
  private var removed = 0
  private var kept = 0

  static func run(in store: StoreOptions) throws -> ExposureScan {
    let writer = try store.openToWrite(making: false)
    Progress.show("searching")
    defer { Progress.clear() }
    return try CommandLoop.run { try await renew(writer) }
  }

  @concurrent private static func renew(_ store: HealthStore) async throws -> ExposureScan {
    let levels = try await QuantityQuery(.headphoneAudioExposure).result(for: store).value
    let found = SoundExposureEvent.events(of: levels.map { SoundDose.Exposure($0.value, over: $0.span) }).map(\.draft)
    let source = SourceRevision(identifier: "sensord", name: "sensord", version: SensordCommand.version)
    let own = SamplePredicate.and([.type(.category(.headphoneAudioExposureEvent)), .source(source.identifier)])
    let stored = try await SampleQuery(own).result(for: store).value
    let identities = Set(found.compactMap(\.sync?.identifier))
    let obsolete = stored.filter { !($0.syncIdentifier.map(identities.contains) ?? false) }
    let known = Set(stored.compactMap(\.syncIdentifier))
    var new: [NewSample] = []
    for draft in found where !(draft.sync.map { known.contains($0.identifier) } ?? false) {
      new.append(try NewSample(draft))
    }
    // Two steps: what a stop between them leaves undone, the next scan does.
    try await store.delete(obsolete.map(\.id), as: source.identifier)
    _ = try await store.save(new, as: source)
    await store.close()
    return ExposureScan(added: new.count, removed: obsolete.count, kept: stored.count - obsolete.count)
  }

  func write(_ json: Bool) throws {
    if json {
      let document: JSONValue = [
        "added": .integer(added), "removed": .integer(removed), "kept": .integer(kept),
      ]
      try StandardOutput.write(document.text + "\n")
    } else {
      try StandardOutput.write(
        "Sound of headphones searched: \(added) events added, \(removed) removed, \(kept) kept\n")
    }
  }
}
