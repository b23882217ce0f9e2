internal import Recordings
internal import BlueZ
internal import Glibc

/// The file in a recorder's runtime directory that lists the links it has made. The recorder that follows one that was killed
/// reads it, and ends them with its own. Removed when the recorder stops; systemd keeps it over a restart.
///
/// One line for bluetoothd's unique bus name, one for each link: `hci0 C0:FF:EE:00:00:01`.
struct OwnLinksFile {
  /// How long after the recorder's last sign of life the file is believed: a restart is over within a minute. BlueZ gives a link
  /// no name, so one that was lost and then made anew by another program looks the same.
  static let lifetime: Duration = .seconds(60)
  private static let heading = "sensord-links 1"

  /// Where the recorder's status is: it is written once a second while values come, and so a sign of life.
  let status: StatusFile

  private var path: String { "\(status.directory)/links" }

  /// The links that an earlier recorder left; nil where it left none, or is gone for too long. What another user has put
  /// there is not believed: these links will be ended.
  func inherited() -> OwnLinks? {
    guard let age = [path, status.path].compactMap(Self.age).min(), age <= Self.lifetime,
      let bytes = try? FileAccess.readRegular(path, limit: 1 << 16, of: geteuid())
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.count >= 2, lines[0] == Self.heading else { return nil }
    var links: Set<OwnLinks.Link> = []
    for line in lines.dropFirst(2) {
      let words = line.split(separator: " ")
      guard words.count == 2, words[0].hasPrefix("hci"), let number = UInt16(words[0].dropFirst(3)),
        let address = DeviceAddress(words[1])
      else { return nil }
      links.insert(OwnLinks.Link(address, over: AdapterPath(number)))
    }
    return OwnLinks(service: String(lines[1]), links: links)
  }

  /// Replaces the file; without links there is none.
  func write(_ links: OwnLinks?) throws {
    guard let links, !links.links.isEmpty else { return remove() }
    try status.prepare()
    let lines = links.links.map { "\($0.adapter.name) \($0.device)" }.sorted()
    let file = try ReplacedFile(path: path, mode: 0o600, mayBeSpecial: false)
    try file.write(Array((([Self.heading, links.service] + lines).joined(separator: "\n") + "\n").utf8))
    try file.finish(durably: false)
  }

  func remove() {
    unsafe unlink(path)
  }

  private static func age(_ path: String) -> Duration? {
    var status = stat()
    var now = timespec()
    guard unsafe stat(path, &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    let age: Duration = .seconds(now.tv_sec - status.st_mtim.tv_sec)
    // The file is from the future where the wall clock was set back: then nobody knows how old it is.
    return age >= .seconds(-1) ? age : nil
  }
}
