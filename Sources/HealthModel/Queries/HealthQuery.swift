package import FoundationEssentials

/// A question about samples, as a value: the same for a store's file and for a program that hands it on.
///
/// A module that answers queries refines this protocol; a `HealthStore` answers every `StoreQuery`.
public protocol HealthQuery: Sendable {
  /// The type of the answer.
  associatedtype Output: Sendable

  /// Whether the change may alter the answer; otherwise a live query is not woken. True by default.
  func isConcerned(by change: StoreChange) -> Bool

  /// The query by which a live query continues after `answer`, and whether it is due at once because there is more already. By
  /// default the same query after the next change.
  func next(after answer: Output) -> (query: Self, isDue: Bool)
}

extension HealthQuery {
  /// Returns true.
  public func isConcerned(by change: StoreChange) -> Bool { true }

  /// Returns the same query, due after the next change.
  public func next(after answer: Output) -> (query: Self, isDue: Bool) { (self, false) }
}

/// An answer, with the state of the store from which it comes.
public struct Snapshot<Value: Sendable>: Sendable {
  /// The answer.
  public var value: Value
  /// The number of the last change before that state.
  public var change: Int64

  /// A snapshot with the given parts.
  public init(value: Value, change: Int64) {
    self.value = value
    self.change = change
  }
}

extension Snapshot: Equatable where Value: Equatable {}

/// A saved or deleted object, as far as the list of changes describes it.
///
/// The description lets a live query decide, before anything is read, whether its answer may have changed.
public struct StoreChange: Hashable, Sendable {
  /// The object's type; ``SampleType/session`` for a recording session, nil if the file does not have the type: of a change
  /// that was missing where the store was restored from.
  public var type: SampleType?
  /// The identifier of the program that had saved it; nil in the same case.
  public var source: String?
  /// The identifier of the object, where reading of its type is granted one by one; nil for others.
  package var object: UUID?
  /// Whether it was deleted and not saved.
  public var isDeletion: Bool

  /// A change with the given parts.
  public init(type: SampleType?, source: String?, isDeletion: Bool) {
    self.init(type: type, source: source, object: nil, isDeletion: isDeletion)
  }

  package init(type: SampleType?, source: String?, object: UUID?, isDeletion: Bool) {
    self.type = type
    self.source = source
    self.object = object
    self.isDeletion = isDeletion
  }
}

extension SamplePredicate {
  /// Whether the object may match: false only if type and source rule it out.
  ///
  /// A condition that depends on other objects, such as being a part of one, may change with any of them.
  func mayMean(_ change: StoreChange) -> Bool {
    let isOfType = { (type: SampleType) in
      change.type.map { $0.identifier == type.identifier && $0.kind == type.kind }
    }
    return dependsOnOthers || judge(Known(type: isOfType, source: change.source)) != false
  }

  /// Whether samples of a type with that identifier may match.
  func mayMean(typeIdentifier: String) -> Bool {
    judge(Known(type: { $0.identifier == typeIdentifier ? nil : false }, source: nil)) != false
  }

  /// The facts of an object that are known before it is read.
  private struct Known {
    /// Whether it is of a type; nil if that is not known.
    var type: (SampleType) -> Bool?
    var source: String?
  }

  /// The judgement by the known facts; nil if others decide.
  private func judge(_ known: Known) -> Bool? {
    var form = form
    var isNegated = false
    while case .not(let part) = form {
      form = part.form
      isNegated.toggle()
    }
    let judgement: Bool? =
      switch form {
      case .all: true
      case .type(let type): known.type(type)
      case .source(let identifier): known.source.map { $0 == identifier }
      case .workout, .workoutActivity: known.type(.workout) == false ? false : nil
      case .and(let parts): Self.join(parts.lazy.map { $0.judge(known) }, decisive: false)
      case .or(let parts): Self.join(parts.lazy.map { $0.judge(known) }, decisive: true)
      default: nil
      }
    return isNegated ? judgement.map { !$0 } : judgement
  }

  /// `decisive` if one part has that result, the opposite if all parts have it, else nil.
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
    // The figures of a workout are made anew when a sample of it is deleted.
    case .part, .basis, .collected, .workout, .workoutActivity: true
    case .and(let parts), .or(let parts): parts.contains { $0.dependsOnOthers }
    default: false
    }
  }
}
