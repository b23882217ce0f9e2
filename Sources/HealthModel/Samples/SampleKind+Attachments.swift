extension SampleKind {
  /// Whether files may be attached to samples of this kind: those that stand for a document, which a scan or a photograph of it
  /// belongs to. Nothing else knows which kinds these are.
  public var takesAttachments: Bool {
    switch rawValue {
    case "visionPrescription", "clinicalRecord": true
    default: false
    }
  }
}
