internal import Documents
internal import Glibc
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// Apple's export into the store: what was read is stored while the rest is being read.
struct AppleImport: ~Copyable {
  private let file: String
  private let isDry: Bool
  private let types: Set<String>?
  private let since: Timestamp?
  private var damage: FileDamage?
  /// The reason for which the file could not be read to its end.
  private(set) var interruption: UnreadableInput?
  private var clinicalRead = 0
  private var routesRead = 0
  private var hasLookedBeside = false
  private var reader: AppleHealthReader
  private var report = AppleReport()
  private var batch = ImportBatch()
  private var rehearsal = ImportRehearsal()
  private var isBeingStored: Task<AppleReport, any Error>?
  private var progress: ImportProgress

  init(
    _ file: String, isDry: Bool, types: Set<String>?, since: Timestamp?, size: Int64?
  ) {
    (self.file, self.isDry) = (file, isDry)
    (self.types, self.since) = (types, since)
    reader = AppleHealthReader(types: types, since: since)
    progress = ImportProgress(file, size: size)
  }

  /// Reads and stores the export. `next` has the next piece, empty at the end, and its place in the file.
  @concurrent mutating func read(
    _ first: [UInt8], into destination: inout ImportDestination,
    next: () throws -> (piece: [UInt8], place: Int64)
  ) async throws {
    var piece = first
    do {
      while !piece.isEmpty {
        let objects = try reader.read(piece)
        if !objects.isEmpty { try await save(objects, into: &destination) }
        let (more, place) = try next()
        progress.show(place, records: reader.records)
        piece = more
      }
      try reader.end()
    } catch let error as FileDamage {
      // Everything before the damage stays.
      damage = error
    } catch let error as UnreadableInput {
      interruption = error
    }
    try await save(reader.finish(), into: &destination)
  }

  /// Reads the files that the export names, in its ZIP file: clinical records, and routes of workouts.
  @concurrent mutating func readFiles(
    in archive: ZipArchive, into destination: inout ImportDestination
  ) async throws {
    hasLookedBeside = true
    do {
      try await readClinicalRecords(in: archive, into: &destination)
      try await readRoutes(in: archive, into: &destination)
    } catch let error as FileDamage {
      // Everything before the damage stays.
      damage = damage ?? error
    }
  }

  /// The files of an archive that were named, in its order.
  private mutating func find<File>(
    _ files: [String: File], in archive: ZipArchive, called name: String, _ isOne: (String) -> Bool
  ) throws(FileDamage) -> [(entry: ZipArchive.Entry, file: File)] {
    guard !files.isEmpty else { return [] }
    var found: [(entry: ZipArchive.Entry, file: File)] = []
    try archive.forEach { (entry) throws(FileDamage) in
      if isOne(entry.text), let file = files[AppleArchive.lastName(entry.text)], found.count < files.count {
        found.append((entry, file))
      }
      return true
    }
    let missing = files.count - found.count
    if missing > 0 { report.refused["\(name) whose file is not there", default: 0] += missing }
    return found
  }

  @concurrent private mutating func readClinicalRecords(
    in archive: ZipArchive, into destination: inout ImportDestination
  ) async throws {
    guard types == nil else { return }
    let entries = try find(
      reader.clinicalFiles, in: archive, called: "clinical record", AppleArchive.isClinical)
    for (entry, file) in entries {
      do {
        let unpacked = try archive.open(entry)
        var bytes: [UInt8] = []
        while bytes.count <= FHIRResource.mostBytes {
          let piece = try unpacked.next()
          if piece.isEmpty { break }
          bytes += piece
        }
        let object = try AppleObject(clinical: bytes, file)
        if let since, let time = object.time, time < since { continue }
        try await save([object], into: &destination)
        clinicalRead += 1
      } catch let error as ClinicalRecordError {
        report.refused["clinical record: \(error)", default: 0] += 1
      } catch let error as FileDamage {
        damage = damage ?? error
      }
    }
  }

  @concurrent private mutating func readRoutes(
    in archive: ZipArchive, into destination: inout ImportDestination
  ) async throws {
    for (entry, file) in try find(reader.routeFiles, in: archive, called: "route", AppleArchive.isRoute) {
      var route = AppleRouteReader(in: file.span)
      do throws(FileDamage) {
        let unpacked = try archive.open(entry)
        while true {
          let piece = try unpacked.next()
          if piece.isEmpty { break }
          try route.read(piece)
        }
        try route.finish()
      } catch {
        // Everything before the damage stays.
        damage = damage ?? FileDamage("\(AppleArchive.lastName(entry.text)), \(error.place)", error.problem)
      }
      for (reason, count) in route.account.leftOut { report.refused[reason, default: 0] += count }
      guard !route.locations.isEmpty else {
        report.refused["route without a location", default: 0] += 1
        continue
      }
      routesRead += 1
      try await save([AppleObject(route.locations, of: file)], into: &destination)
    }
  }

  /// Stores the rest; returns the report, and the damage behind which nothing was read.
  @concurrent mutating func finish(
    into destination: inout ImportDestination
  ) async throws -> (report: AppleReport, damage: FileDamage?) {
    try await saveBatch(into: &destination)
    try await waitForStoring()
    progress.clear()
    report.account = reader.account
    report.records = reader.records
    let files = reader.clinicalFiles.count
    if !hasLookedBeside, files > 0 { report.refused["clinical record (a file beside the export)", default: 0] += files }
    let routes = reader.routeFiles.count
    if !hasLookedBeside, routes > 0 { report.refused["route (a file beside the export)", default: 0] += routes }
    if clinicalRead > 0 { report.account.read["clinical records"] = clinicalRead }
    if routesRead > 0 { report.account.read[SampleType.workoutRoute.identifier] = routesRead }
    return (report, damage)
  }

  @concurrent private mutating func save(
    _ objects: [AppleObject], into destination: inout ImportDestination
  ) async throws {
    for object in objects {
      do throws(AppleRefusal) {
        try batch.add(object)
      } catch {
        report.refused["\(object.type.identifier): \(error.reason)", default: 0] += 1
      }
      if batch.isFull { try await saveBatch(into: &destination) }
    }
  }

  @concurrent private mutating func saveBatch(into destination: inout ImportDestination) async throws {
    guard !batch.items.isEmpty else { return }
    let full = batch
    batch = ImportBatch()
    try await waitForStoring()
    let store = try destination.opened()
    guard isDry else {
      isBeingStored = Task(executorPreference: Main.thread) { try await Self.save(full, in: store) }
      return
    }
    let earlier = rehearsal.earlier(than: full)
    isBeingStored = Task(executorPreference: Main.thread) { try await Self.rehearse(full, in: store, earlier) }
  }

  @concurrent private mutating func waitForStoring() async throws {
    guard let task = isBeingStored else { return }
    isBeingStored = nil
    do {
      report.add(try await task.value)
    } catch let error as StoreError where error.code == .full || error.code == .io {
      progress.clear()
      throw CommandFailure(
        .inputOutput, error.message,
        remedy:
          "\(Count.of(report.stored, "object")) of \(file) \(report.stored == 1 ? "is" : "are") stored whole; with room on the disk the same command goes on"
      )
    }
  }

  @concurrent private static func save(
    _ batch: ImportBatch, in store: HealthStore?
  ) async throws -> AppleReport {
    var report = AppleReport()
    guard let store else { return report }
    let outcomes = try await store.save(imported: batch.items)
    for (type, outcome) in zip(batch.types, outcomes) { report.add(outcome, of: type) }
    return report
  }

  /// The outcomes for a batch if it were stored, where these versions of the batch's objects came in before.
  @concurrent private static func rehearse(
    _ batch: ImportBatch, in store: HealthStore?, _ earlier: [Int64?]
  ) async throws -> AppleReport {
    var report = AppleReport()
    let outcomes =
      try await store?.outcomes(ofImporting: batch.items)
      ?? batch.items.map { ImportOutcome(outcome: .stored, added: $0.valueCount) }
    for (index, outcome) in outcomes.enumerated() {
      let outcome = outcome.following(earlier[index], batch.marks[index], isSeries: batch.items[index].content.isSeries)
      report.add(outcome, of: batch.types[index])
    }
    return report
  }
}

/// One line on a terminal with the progress of a long import and the estimated time left; nothing without a terminal.
struct ImportProgress {
  private let file: String
  private let size: Int64?
  private let isShown: Bool
  private let start: Int64
  private var shown: Int64

  private static let pauseMilliseconds: Int64 = 200

  init(_ file: String, size: Int64?) {
    (self.file, self.size) = (file, size)
    isShown = isatty(STDERR_FILENO) == 1
    start = Self.milliseconds
    shown = start
  }

  mutating func show(_ place: Int64, records: Int) {
    guard isShown, Self.milliseconds - shown >= Self.pauseMilliseconds else { return }
    shown = Self.milliseconds
    Output.line("\r\u{1B}[K\(PrintableText.line(text(place, records: records, after: shown - start), columns: 79))")
  }

  func clear() {
    if isShown, shown > start { Output.line("\r\u{1B}[K") }
  }

  /// The line after so many milliseconds.
  func text(_ place: Int64, records: Int, after milliseconds: Int64) -> String {
    guard let size, size > 0, place > 0, place <= size else { return "\(file): \(Count.of(records, "record"))" }
    let share = Double(place) / Double(size)
    let left = Double(milliseconds) / share * (1 - share) / 1000
    // The beginning allows no estimate.
    let estimate = milliseconds > 2000 ? ", about \(Self.time(left)) left" : ""
    return "\(file): \(Int(share * 100)) %, \(Count.of(records, "record"))\(estimate)"
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds) + 1) s" : "\(Int(seconds / 60) + 1) min"
  }

  private static var milliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
