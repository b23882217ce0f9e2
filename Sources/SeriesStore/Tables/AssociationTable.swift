import HealthModel

/// Associations between samples, by the numbers of the changes that saved them.
struct AssociationTable {
  let connection: Connection

  /// The role of a sample for its owner.
  enum Role: Int64 {
    /// A part, which was saved with its owner and is deleted with it.
    case part = 0
    /// A basis, from which its owner was computed.
    case basis = 1
    /// A sample that was collected with its owner, a workout; neither is deleted with the other.
    case collected = 2
  }

  func insert(_ members: [Int64], of owner: Int64, as role: Role) throws(StoreError) {
    for (position, member) in members.enumerated() {
      try connection.insert(
        [.integer(owner), .integer(role.rawValue), .integer(Int64(position)), .integer(member)],
        into: Schema.associations)
    }
  }

  /// The parts of an owner in order.
  func parts(of owner: Int64) throws(StoreError) -> [Int64] {
    try rows("SELECT member FROM associations WHERE owner = ?1 AND role = ?2 ORDER BY position", owner)
  }

  /// The owners of which the sample is a part.
  func owners(ofPart member: Int64) throws(StoreError) -> [Int64] {
    try rows("SELECT owner FROM associations WHERE member = ?1 AND role = ?2", member)
  }

  private func rows(_ text: String, _ row: Int64) throws(StoreError) -> [Int64] {
    var statement = try connection.prepare(text)
    try statement.bind(row, at: 1)
    try statement.bind(Role.part.rawValue, at: 2)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.integer(0)) }
    return rows
  }

  /// The workouts with which the sample was collected, with the sample's place in each.
  private func places(ofCollected member: Int64) throws(StoreError) -> [(owner: Int64, position: Int64)] {
    var statement = try connection.prepare("SELECT owner, position FROM associations WHERE member = ?1 AND role = ?2")
    try statement.bind(member, at: 1)
    try statement.bind(Role.collected.rawValue, at: 2)
    var places: [(owner: Int64, position: Int64)] = []
    while try statement.step() { places.append((statement.integer(0), statement.integer(1))) }
    return places
  }

  /// The workouts with which the sample was collected.
  func workouts(ofCollected member: Int64) throws(StoreError) -> [Int64] {
    try places(ofCollected: member).map(\.owner)
  }

  /// The routes of a workout, in order.
  func routes(of workout: Int64) throws(StoreError) -> [Int64] {
    var statement = try connection.prepare(
      """
      SELECT member FROM associations JOIN samples AS sample ON sample.id = member JOIN types AS type ON type.id = sample.type
      WHERE owner = ?1 AND role = ?2 AND type.kind = '\(SampleKind.workoutRoute.rawValue)' ORDER BY position
      """)
    try statement.bind(workout, at: 1)
    try statement.bind(Role.collected.rawValue, at: 2)
    var routes: [Int64] = []
    while try statement.step() { routes.append(statement.integer(0)) }
    return routes
  }

  /// Adds samples to those that were collected with a workout.
  func collect(_ members: [Int64], for workout: Int64) throws(StoreError) {
    let count = try count(ofCollectedBy: workout)
    for (place, member) in members.enumerated() {
      try connection.insert(
        [.integer(workout), .integer(Role.collected.rawValue), .integer(count + Int64(place)), .integer(member)],
        into: Schema.associations)
    }
    connection.staleWorkouts.insert(workout)
  }

  /// Removes the sample from the workouts with which it was collected. The last sample of each workout gets its place,
  /// so that no place is empty.
  func uncollect(_ member: Int64) throws(StoreError) {
    for (owner, position) in try places(ofCollected: member) {
      let role = Role.collected.rawValue
      try connection.run(
        "DELETE FROM associations WHERE owner = ?1 AND role = \(role) AND position = ?2", owner, position)
      try connection.run(
        """
        UPDATE associations SET position = ?2, checksum = \(RowChecksum.name)(owner, role, ?2, member)
        WHERE owner = ?1 AND role = \(role) AND position > ?2
          AND position = (SELECT max(position) FROM associations WHERE owner = ?1 AND role = \(role))
        """, owner, position)
      connection.staleWorkouts.insert(owner)
    }
  }

  /// The workouts with which samples of a session were collected, with the types of these samples.
  func collectors(ofSession session: Int64) throws(StoreError) -> [(owner: Int64, type: Int64)] {
    var statement = try connection.prepare(
      """
      SELECT owner, sample.type FROM samples AS sample JOIN associations ON member = sample.id AND role = ?2
      WHERE sample.session = ?1 ORDER BY owner, position
      """)
    try statement.bind(session, at: 1)
    try statement.bind(Role.collected.rawValue, at: 2)
    var collectors: [(owner: Int64, type: Int64)] = []
    while try statement.step() { collectors.append((statement.integer(0), statement.integer(1))) }
    return collectors
  }

  /// Associates the samples of a session's new version where those of the old one were.
  func collect(fromSession session: Int64, for collectors: [(owner: Int64, type: Int64)]) throws(StoreError) {
    for (owner, type) in collectors {
      var members: [Int64] = []
      do {
        var statement = try connection.prepare("SELECT id FROM samples WHERE session = ?1 AND type = ?2")
        try statement.bind(session, at: 1)
        try statement.bind(type, at: 2)
        while try statement.step() { members.append(statement.integer(0)) }
      }
      try collect(members, for: owner)
    }
  }

  private func count(ofCollectedBy owner: Int64) throws(StoreError) -> Int64 {
    var statement = try connection.prepare("SELECT count(*) FROM associations WHERE owner = ?1 AND role = ?2")
    try statement.bind(owner, at: 1)
    try statement.bind(Role.collected.rawValue, at: 2)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Replaces one sample by another in all associations.
  func replace(_ member: Int64, with other: Int64) throws(StoreError) {
    for place in try places(ofCollected: member) { connection.staleWorkouts.insert(place.owner) }
    let values = "owner, role, position, ?2"
    try connection.run(
      "UPDATE associations SET member = ?2, checksum = \(RowChecksum.name)(\(values)) WHERE member = ?1", member, other)
  }

  func delete(of sample: Int64) throws(StoreError) {
    try connection.run("DELETE FROM associations WHERE owner = ?1", sample)
    try connection.run("DELETE FROM associations WHERE member = ?1", sample)
  }
}
