/// What somebody hears at one frequency: the faintest tone, for each ear.
public struct AudiogramSensitivityPoint: Hashable, Sendable, Codable {
  /// Of the tone, in hertz.
  public var frequency: Double
  /// Of the left ear, in dBHL (ISO 8253-1): 0 is the threshold of young people who hear well, a greater value means that a tone has to
  /// be louder. Nil where it was not measured.
  public var leftEarSensitivity: Double?
  /// Of the right ear.
  public var rightEarSensitivity: Double?

  /// A point with the given parts, in hertz and dBHL. Its rules are looked at by ``Audiogram/validate()``.
  public init(hertz frequency: Double, left: Double?, right: Double?) {
    self.frequency = frequency
    leftEarSensitivity = left
    rightEarSensitivity = right
  }

  /// A point in any compatible units.
  ///
  /// - Throws: ``UnitError`` for a frequency that is none, or a level that is no hearing level.
  public init(
    frequency: Quantity, leftEarSensitivity left: Quantity?, rightEarSensitivity right: Quantity?
  ) throws(UnitError) {
    self.frequency = try frequency.value(in: .hertz)
    leftEarSensitivity = try left?.value(in: .decibelHearingLevel)
    rightEarSensitivity = try right?.value(in: .decibelHearingLevel)
  }
}
