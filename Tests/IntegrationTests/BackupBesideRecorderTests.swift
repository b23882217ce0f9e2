import Foundation
import TestSupport
import Testing

/// `sensord backup` as a process beside a recorder that goes on.
@Suite("Backup beside a recorder")
struct BackupBesideRecorderTests {
  /// The number of values of each session, stored or in the journal.
  private func counts(in store: String) throws -> [String: Int] {
    let result = try Program.run("sensord", ["sessions", "--json", "--store", store])
    guard result.status == 0 else { throw Program.Failure(description: result.errors) }
    let sessions = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]] ?? []
    return Dictionary(
      sessions.map { ($0["id"] as? String ?? "", ($0["heartRate"] as? [String: Any])?["count"] as? Int ?? 0) },
      uniquingKeysWith: +)
  }

  @Test("each backup has every value that was there when it began, whether it was being stored or not")
  func values() async throws {
    let watched = try await WatchedRecording(every: 20, seconds: 120)
    let recording = watched.recording
    let recorder = try watched.recorder()
    try await watched.values(50)
    for number in 0..<3 {
      // A session ends, and is stored while the backup is made.
      let strap = WatchedRecording.straps[number % 2]
      let before = try counts(in: recording.store)
      #expect(before.count >= 2 && before.values.contains { $0 > 10 })
      #expect(try Program.run("sensord", ["devices", "remove", strap, "--store", recording.store]).status == 0)
      let file = recording.folder.appendingPathComponent("\(number).tar").path
      let made = try Program.run("sensord", ["backup", file, "--store", recording.store])
      #expect(made.status == 0, "\(made.errors)")
      try recording.allow(strap)
      let place = recording.folder.appendingPathComponent("\(number)/sensord.sqlite").path
      let restored = try Program.run("sensord", ["restore", file, "--store", place])
      #expect(restored.status == 0, "\(restored.errors)")
      let found = try counts(in: place)
      for (session, count) in before {
        #expect(found[session] ?? 0 >= count, "backup \(number), \(session): \(count) before, \(found)")
      }
      #expect(try Program.run("sensord", ["check", "--store", place]).status == 0)
      try await watched.values(50)
    }
    #expect(try await recorder.terminate() == 0, "\(recorder.text)")
    // The recorder of a restored place stores what was open, once; what the store had already it does not store again.
    let last = recording.folder.appendingPathComponent("2/sensord.sqlite").path
    let whole = try counts(in: recording.store)
    let before = try counts(in: last)
    let second = try Program(
      "sensord", ["run", "--store", last, "--bus", recording.bus.address],
      environment: [
        "RUNTIME_DIRECTORY": recording.folder.appendingPathComponent("2").path, "HOME": recording.folder.path,
        "XDG_CONFIG_HOME": recording.folder.path, "NOTIFY_SOCKET": "",
      ])
    try await second.printed("recording into")
    #expect(try await second.terminate() == 0, "\(second.text)")
    let after = try counts(in: last)
    #expect(Set(before.keys).isSubset(of: after.keys))
    for (session, count) in before { #expect(after[session] ?? 0 >= count && count <= whole[session] ?? 0) }
  }
}
