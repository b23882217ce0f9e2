package import HealthModel

/// What a foreign file brings.
package struct ImportedItem: Sendable {
  /// What it is.
  package enum Content: Sendable {
    /// Finished, under an identifier of ``ImportItem/identity`` and with its sync identifier.
    case sample(NewSample)
    /// Values of a quantity type in the type's unit, by time.
    case series(ImportedSeries)
    /// All values of a series, packed; see ``ImportedItem/pack()``.
    case packed(NewSample, values: Int)
    /// The route of a workout that came before it.
    case route(ImportedRoute)

    /// Whether its version is how many values it has.
    package var isSeries: Bool {
      switch self {
      case .series, .packed: true
      case .sample, .route: false
      }
    }
  }

  package var identity: ImportIdentity
  package var source: SourceRevision
  package var content: Content

  package init(_ identity: ImportIdentity, from source: SourceRevision, _ content: Content) {
    self.identity = identity
    self.source = source
    self.content = content
  }

  /// Packs the values of a series, if they are all, so that the store's only thread need not, and many fit into one transaction.
  /// What cannot be stored is told there.
  package mutating func pack() {
    guard case .series(let series) = content, !series.isContinued,
      let sample = try? series.sample(of: series.values, identity)
    else { return }
    content = .packed(sample, values: series.values.count)
  }
}

/// Values that stood in a file one by one. The version of a series is how many it has.
package struct ImportedSeries: Sendable {
  package var type: QuantityType
  package var device: Device?
  package var metadata: Metadata
  /// Each once, by start, then by end, then by value.
  package var values: [SampleDraft.QuantityValue]
  /// Whether what is stored of it is a part of the same file, and stays beside these.
  package var isContinued: Bool

  package init(
    _ type: QuantityType, device: Device?, metadata: Metadata, values: [SampleDraft.QuantityValue], isContinued: Bool
  ) {
    self.type = type
    self.device = device
    self.metadata = metadata
    self.values = values
    self.isContinued = isContinued
  }
}

/// The route of an imported workout. Its version is how many locations it has.
package struct ImportedRoute: Sendable {
  /// The workout, in whatever version it is stored.
  package var workout: ImportIdentity
  /// Whether the file that has the route brings the workout as well.
  package var comesWithWorkout: Bool
  package var device: Device?
  /// All in the workout's time.
  package var locations: [RouteLocation]

  package init(_ workout: ImportIdentity, comesWithWorkout: Bool, device: Device?, locations: [RouteLocation]) {
    (self.workout, self.comesWithWorkout) = (workout, comesWithWorkout)
    (self.device, self.locations) = (device, locations)
  }
}

/// What became of an item.
package struct ImportOutcome: Hashable, Sendable {
  /// Nil for a route whose workout the store does not have: nothing was written.
  package var outcome: CommitOutcome?
  /// How many values of it the store did not have; of replaced ones, those that it has more than before.
  package var added: Int
  /// Whether an unchanged series has as many values in the store, but other ones.
  package var differs = false

  package init(outcome: CommitOutcome?, added: Int, differs: Bool = false) {
    (self.outcome, self.added, self.differs) = (outcome, added, differs)
  }
}
