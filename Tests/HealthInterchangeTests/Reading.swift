import HealthModel

@testable import HealthInterchange

/// What a file has, read in pieces of a size.
struct Reading {
  var sessions: [RecordedSession] = []
  var account = ReadingAccount()
  var damage: FileDamage?

  init(_ bytes: [UInt8], _ format: ForeignFormat, start: Timestamp? = nil, pieces: Int = 64) throws {
    var reader = format.reader()
    var assembly = RecordingAssembly(format, start: start)
    var elements: [ForeignElement] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]), into: &elements)
      }
      try reader.finish(into: &elements)
    } catch {
      damage = error
    }
    for element in elements {
      if let session = try assembly.take(element) { sessions.append(session) }
    }
    if let session = try assembly.finish() { sessions.append(session) }
    account.add(reader.account)
    account.add(assembly.account)
  }
}
