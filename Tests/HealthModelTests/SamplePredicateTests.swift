import FoundationEssentials
import HealthModel
import Testing

@Suite("Queries as values")
struct SamplePredicateTests {
  @Test("a predicate can be taken apart, part by part, by a program that only imports it")
  func form() throws {
    let predicate = SamplePredicate.and([
      .type(.quantity(.heartRate)), .not(.summary(.maximum, .greaterOrEqual, Quantity(180, .countPerMinute))),
      .summary(.mostRecentDuration, .less, .milliseconds(1500)),
    ])
    guard case .and(let parts) = predicate.form, parts.count == 3 else { throw SeriesError.empty }
    guard case .type(let type) = parts[0].form else { throw SeriesError.empty }
    #expect(type == .quantity(.heartRate))
    guard case .not(let part) = parts[1].form, case .quantity(let figure, let comparison, let quantity) = part.form
    else {
      throw SeriesError.empty
    }
    #expect(figure.rawValue == "maximum" && comparison.rawValue == "greaterOrEqual")
    #expect(quantity == Quantity(180, .countPerMinute))
    guard case .length(let length, .less, let microseconds) = parts[2].form else { throw SeriesError.empty }
    #expect(length == .mostRecentDuration && microseconds == 1_500_000)
  }

  @Test("figures and keys have names")
  func names() {
    #expect(
      SamplePredicate.QuantityFigure.allCases.map(\.rawValue) == ["sum", "average", "minimum", "maximum", "mostRecent"])
    #expect(
      SamplePredicate.TimeFigure.allCases.map(\.rawValue) == ["start", "end", "mostRecentStart", "mostRecentEnd"])
    #expect(SamplePredicate.DurationFigure.allCases.map(\.rawValue) == ["duration", "mostRecentDuration"])
    #expect(SampleQuery.Order.Key.allCases.map(\.rawValue) == ["start", "end", "count", "change"])
  }

  @Test("a scope includes changes of its types and of its source, and no session")
  func scope() {
    let scope = ReadScope(types: ["heartRate", "session"], source: "game")
    let cases: [(SampleType?, String?, Bool)] = [
      (.quantity(.heartRate), "other", true), (.quantity(.stepCount), "game", true),
      (.quantity(.stepCount), "other", false), (.session, "other", false), (.session, "game", false), (nil, nil, false),
      (nil, "game", false), (.quantity(.stepCount), nil, false),
    ]
    for (type, source, isSeen) in cases {
      for isDeletion in [false, true] {
        let change = StoreChange(type: type, source: source, isDeletion: isDeletion)
        #expect(scope.includes(change) == isSeen, "\(change)")
        #expect(!ReadScope().includes(change))
      }
    }
  }

  @Test("a scope is narrowed to the types that a predicate may mean")
  func narrowed() {
    let scope = ReadScope(types: ["heartRate", "stepCount"], source: "game")
    let cases: [(SamplePredicate, Set<String>)] = [
      (.all, ["heartRate", "stepCount"]), (.type(.quantity(.heartRate)), ["heartRate"]),
      (.type(.quantity(.bodyMass)), []), (.not(.type(.quantity(.heartRate))), ["heartRate", "stepCount"]),
      (.and([.type(.quantity(.heartRate)), .hasMetadata("a")]), ["heartRate"]),
      (.or([.type(.quantity(.heartRate)), .hasMetadata("a")]), ["heartRate", "stepCount"]),
      (.and([.type(.quantity(.heartRate)), .type(.quantity(.stepCount))]), []), (.or([]), []),
      (.part(of: UUID()), ["heartRate", "stepCount"]),
    ]
    for (predicate, types) in cases {
      #expect(scope.narrowed(to: predicate) == ReadScope(types: types, source: "game"), "\(predicate)")
    }
  }
}
