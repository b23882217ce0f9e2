/// Suggests names for a misspelt one.
package enum Spelling {
  /// Those of `names` that differ from `name` by a few letters, or contain it; the nearest first, at most three.
  package static func nearest(to name: String, among names: [String]) -> [String] {
    let wanted = Array(name.lowercased().utf8.prefix(64))
    guard !wanted.isEmpty else { return [] }
    let candidates = names.compactMap { candidate -> (name: String, distance: Int)? in
      let letters = Array(candidate.lowercased().utf8)
      let distance = editDistance(wanted, letters)
      if distance <= max(2, wanted.count / 4) { return (candidate, distance) }
      guard wanted.count >= 3, candidate.lowercased().contains(name.lowercased()) else { return nil }
      return (candidate, letters.count)
    }
    return candidates.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// The number of letters to insert, delete or replace to get from one to the other (Levenshtein distance).
  private static func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (line, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
