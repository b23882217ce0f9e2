/// What can be exported of a session, each as a CSV table. The raw values are what other programs ask by.
package enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  /// ``BeatsExport``.
  case beats
  /// ``RatesExport``.
  case rates
}
