import Sensors

/// The recordings of all sensors, by address: the one place where they are, and are changed.
struct SensorRecordings {
  /// In ascending order of the addresses.
  private var recordings: [SensorRecording] = []

  /// The beats of so many sensors are judged in one go, so that a notification never waits for all.
  static let judgedAtOnce = 6

  var isEmpty: Bool { recordings.isEmpty }
  var count: Int { recordings.count }
  /// In ascending order of the addresses; an index holds until a recording is inserted or removed.
  var indices: Range<Int> { recordings.indices }
  var addresses: [SensorAddress] { recordings.map(\.address) }
  /// Events that the journal has refused of the open and the paused sessions.
  var unwritten: UnwrittenValues {
    recordings.reduce(into: UnwrittenValues()) { sum, recording in
      for session in [recording.session, recording.paused?.session] { session.map { sum.add($0.backlog) } }
    }
  }
  var isRecording: Bool { recordings.contains { $0.session != nil } }

  subscript(index: Int) -> SensorRecording {
    // Not `_read`: without optimisation the compiler ends its access before it copies a large field out of it.
    get { recordings[index] }
    _modify { yield &recordings[index] }
  }

  /// The index of a sensor's recording; by bisection, since it is asked for with each notification.
  func index(of address: SensorAddress) -> Int? {
    let index = position(of: address)
    return index < recordings.count && recordings[index].address == address ? index : nil
  }

  private func position(of address: SensorAddress) -> Int {
    var low = 0
    var high = recordings.count
    while low < high {
      let middle = (low + high) / 2
      if recordings[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a sensor that has no recording yet; returns its index.
  mutating func insert(_ recording: SensorRecording) -> Int {
    let index = position(of: recording.address)
    recordings.insert(recording, at: index)
    return index
  }

  mutating func remove(at index: Int) {
    recordings.remove(at: index)
  }

  /// Forgets the sensors that are not in the list and of which nothing is left: no session, no link, and, as
  /// `isPlanned` says, no attempt at one.
  mutating func removeUnlisted(unless isPlanned: (SensorAddress) -> Bool) {
    guard recordings.contains(where: \.isUnlisted) else { return }
    recordings.removeAll { $0.isUnlisted && $0.session == nil && $0.adapter == nil && !isPlanned($0.address) }
  }

  /// Judges the beats of the sessions for which that is due, first of those that have waited longest.
  mutating func judge(at now: BootInstant, every interval: Int64, wallMinusBoot offset: Int64) {
    let due = indices.compactMap { index in
      recordings[index].judgingDue(at: now, every: interval).map { (since: $0, index: index) }
    }
    for (_, index) in due.sorted(by: { ($0.since, $0.index) < ($1.since, $1.index) }).prefix(Self.judgedAtOnce) {
      recordings[index].judge(at: now, wallMinusBoot: offset)
    }
  }
}
