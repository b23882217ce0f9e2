internal import Documents

/// The identifiers of types in the words of a person.
enum TypeWords {
  /// Those whose identifier says something else than what is granted with it.
  private static let own = [
    "heartRateVariabilitySDNN": "intervals between beats (variability)",
    "heartbeatSeries": "intervals between beats (variability)",
  ]

  /// `restingHeartRate` is `resting heart rate`; an abbreviation stays as it is.
  static func text(_ identifier: String) -> String {
    if let words = own[identifier] { return words }
    var words: [String] = []
    var word = ""
    var previous: Character?
    for character in PrintableText.line(identifier, columns: 60) {
      let begins = character.isUppercase && previous?.isUppercase == false
      if begins {
        words.append(word)
        word = ""
      }
      word.append(character)
      previous = character
    }
    words.append(word)
    return words.map { isAbbreviation($0) ? $0 : $0.lowercased() }.joined(separator: " ")
  }

  private static func isAbbreviation(_ word: String) -> Bool {
    word.count > 1 && !word.contains(where: \.isLowercase)
  }
}
