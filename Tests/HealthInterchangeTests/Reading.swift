import HealthModel

@testable import HealthInterchange

/// What a file has, read in pieces of a size.
struct Reading {
  var sessions: [RecordedSession] = []
  var rides: [ForeignRide] = []
  var account = ReadingAccount()
  var damage: FileDamage?

  init(_ bytes: [UInt8], _ format: ForeignFormat, start: Timestamp? = nil, pieces: Int = 64) throws {
    var reader = format.reader()
    if let start { reader.begin(at: start) }
    var assembly = ForeignAssembly(format, start: start)
    var elements: [ForeignElement] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]), into: &elements)
      }
      try reader.finish(into: &elements)
    } catch {
      damage = error
    }
    var found: [ForeignAssembly.Found] = []
    for element in elements { try assembly.take(element, into: &found) }
    try assembly.finish(into: &found)
    for one in found {
      switch one {
      case .session(let session): sessions.append(session)
      case .ride(let ride): rides.append(ride)
      }
    }
    account.add(reader.account)
    account.add(assembly.account)
  }
}
