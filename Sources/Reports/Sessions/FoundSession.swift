package import Documents
package import FoundationEssentials
package import HealthModel
package import SeriesStore

/// A session that a name meant, wherever it is: in the store, or in the journal of a recorder.
package struct FoundSession: Sendable, Identifiable {
  private enum Place: Sendable {
    case store(HealthStore)
    case journal(RecordedSession)
  }

  /// The session as lists show it.
  package let summary: SessionSummary
  private let place: Place

  package init(_ summary: SessionSummary, in store: HealthStore) {
    (self.summary, place) = (summary, .store(store))
  }

  package init(_ session: RecordedSession) {
    (summary, place) = (SessionSummary(session), .journal(session))
  }

  package var id: UUID { summary.id }

  @concurrent package func beats() async throws -> HeartbeatSeries {
    switch place {
    case .store(let store): try await store.beats(of: id)
    case .journal(let session): session.heartbeats
    }
  }

  @concurrent private func rates() async throws -> [HeartRateValue] {
    switch place {
    case .store(let store): try await store.rates(of: id)
    case .journal(let session): session.rates
    }
  }

  @concurrent private func gaps() async throws -> [RecordingGap] {
    switch place {
    case .store(let store): try await store.gaps(of: id)
    case .journal(let session): session.gaps
    }
  }

  /// Alterations of its rows, which are not as they were written; empty for a session in the journal.
  @concurrent package func alterations() async throws -> [StoreDamage] {
    guard case .store(let store) = place else { return [] }
    return try await store.alterations(of: id)
  }

  /// Everything that is shown of it; where zones are given, with the time in each.
  @concurrent package func report(zones: HeartRateZones? = nil) async throws -> SessionReport {
    var times: ZoneTimes?
    if let zones { times = ZoneTimes(zones, of: try await rates(), until: summary.end) }
    switch place {
    case .store(let store):
      return try await SessionReport(
        session: summary, heartbeats: beats(), gaps: gaps(), markers: store.markers(of: id),
        isDoubtful: store.clock(of: id)?.isDoubtful ?? false, zones: times)
    case .journal(let session):
      return SessionReport(
        session: summary, heartbeats: session.heartbeats, gaps: session.gaps, markers: session.markers, zones: times)
    }
  }

  /// The recovery of the heart rate after exercise, which ended at `end`; without `end`, 65 s before the end of the session, so
  /// that the minute and the seconds after it were recorded.
  @concurrent package func recovery(at end: Timestamp?) async throws -> RecoveryAnswer {
    try await RecoveryAnswer(
      after: end ?? summary.end.advanced(byMicroseconds: -HeartRateRecovery.timeAfterEnd), heartbeats: beats(),
      rates: rates(), gaps: gaps())
  }

  /// The curves for pictures.
  @concurrent package func curves() async throws -> RecordedCurves {
    try await RecordedCurves(
      in: SessionCatalogue.span(summary.start, summary.end), rates: rates(), heartbeats: [beats()], gaps: gaps())
  }

  /// The values as a table.
  ///
  /// - Throws: ``SessionError/noValues(_:)``, ``SessionError/noBeats(_:because:)``, ``SessionError/noRates(_:)``; `StoreError`.
  @concurrent package func table(_ format: ExportFormat) async throws -> [UInt8] {
    try summary.requireValues()
    switch format {
    case .beats:
      let beats = try await beats()
      guard !beats.beats.isEmpty else {
        throw SessionError.noBeats(summary.shortName, because: summary.variabilityRefusal.map { "\($0)" })
      }
      return BeatsExport.csv(beats)
    case .rates:
      let rates = try await rates()
      guard !rates.isEmpty else { throw SessionError.noRates(summary.shortName) }
      return RatesExport.csv(rates, gaps: try await gaps())
    }
  }

  /// The values for other formats.
  @concurrent package func values() async throws -> RecordedValues {
    try await RecordedValues(
      id: id, device: summary.device, source: summary.source, span: SessionCatalogue.span(summary.start, summary.end),
      rates: rates(), heartbeats: beats(), gaps: gaps(), metadata: summary.metadata)
  }
}

extension SessionSummary {
  /// Throws ``SessionError/noValues(_:)`` for a session without a rate and a beat, which cannot be shown.
  package func requireValues() throws(SessionError) {
    guard heartRate.count > 0 || heartbeats.count > 0 else { throw .noValues(shortName) }
  }
}
