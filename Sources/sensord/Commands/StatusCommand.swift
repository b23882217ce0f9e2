internal import Documents
internal import Recordings
internal import ArgumentParser
internal import Ingestion
internal import Sensors
internal import SeriesStore
internal import StoreCommands

/// `sensord status`: what the running recorder does now.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the recorder is doing now.",
    discussion: "Ends with 69 where no recorder runs.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the status as JSON.")
  var json = false

  mutating func run() throws {
    let environment = ProcessEnvironment.current
    var last: StatusDocument?
    var refusal: FileError?
    for file in try StatusFile.candidates(environment: environment, store: store.path.map { _ in try store.location() })
    {
      let document: StatusDocument?
      do throws(FileError) {
        document = try file.read()
      } catch {
        // A person may have a recorder of their own beside the service's.
        refusal = refusal ?? error
        continue
      }
      guard let document else { continue }
      guard StatusFile.isRunning(document) else {
        last = document
        continue
      }
      // A recorder of another store is not the one that was asked for.
      if store.path != nil, try document.store != store.location().path { continue }
      let now = document.now(wall: LocalTime.now(), boot: HostClock.system.now().microseconds)
      // A user who may not look into the journal's folder sees the rest.
      let setAside = ((try? StoreLocation(path: document.store).setAside()) ?? []).map(\.problem)
      if json {
        return try StandardOutput.write(document.answer(setAside: setAside).text + "\n")
      }
      let text = StatusReport.text(document, now: now, setAside: setAside, columns: StandardOutput.columns)
      return try StandardOutput.write(text)
    }
    if let refusal { throw refusal }
    if let last {
      throw CommandFailure(
        .unavailable,
        "the recorder has ended without saying so; its last status is of \(LocalTime.second(last.updated))",
        remedy: "start it with 'sensord run': it recovers what was recorded")
    }
    throw CommandFailure(.unavailable, "no recorder is running", remedy: "start one with 'sensord run'")
  }
}
