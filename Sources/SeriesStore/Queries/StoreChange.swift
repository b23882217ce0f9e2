/// Something that was saved or deleted, as far as the list of changes tells.
///
/// By it a live query knows, before anything is read, whether its answer may be another one now.
public struct StoreChange: Hashable, Sendable {
  /// What it is; ``SampleType/session`` for a recording session, nil where the file does not say (deleted under the first layout).
  public var type: SampleType?
  /// The identifier of the program that had saved it; nil likewise.
  public var source: String?
  /// Whether it was deleted, as against saved.
  public var isDeletion: Bool

  /// Takes every part as it is.
  public init(type: SampleType?, source: String?, isDeletion: Bool) {
    self.type = type
    self.source = source
    self.isDeletion = isDeletion
  }
}

extension SamplePredicate {
  /// Whether it may mean what was saved or deleted: false only where type and source rule it out.
  ///
  /// What other objects decide, being a part of one for instance, may change with any of them.
  func mayMean(_ change: StoreChange) -> Bool {
    dependsOnOthers || judge(change) != false
  }

  /// Nil where more than type and source decides.
  private func judge(_ change: StoreChange) -> Bool? {
    var form = form
    var isNegated = false
    while case .not(let part) = form {
      form = part.form
      isNegated.toggle()
    }
    let judgement: Bool? =
      switch form {
      case .all: true
      case .type(let type): change.type.map { $0.identifier == type.identifier && $0.kind == type.kind }
      case .source(let identifier): change.source.map { $0 == identifier }
      case .and(let parts): Self.join(parts.lazy.map { $0.judge(change) }, decisive: false)
      case .or(let parts): Self.join(parts.lazy.map { $0.judge(change) }, decisive: true)
      default: nil
      }
    return isNegated ? judgement.map { !$0 } : judgement
  }

  /// The `decisive` judgement where one part has it, the other one where all have that, else nil.
  private static func join(_ judgements: some Sequence<Bool?>, decisive: Bool) -> Bool? {
    var isKnown = true
    for judgement in judgements {
      if judgement == decisive { return decisive }
      isKnown = isKnown && judgement != nil
    }
    return isKnown ? !decisive : nil
  }

  private var dependsOnOthers: Bool {
    var form = form
    while case .not(let part) = form { form = part.form }
    return switch form {
    case .part, .basis: true
    case .and(let parts), .or(let parts): parts.contains { $0.dependsOnOthers }
    default: false
    }
  }
}
