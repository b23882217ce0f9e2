import Reports
import Testing

@testable import sensord

@Suite("Exit codes of failures")
struct CommandFailureTests {
  @Test(
    "each kind of trouble with a file has its exit code",
    arguments: [
      (FileError.Code.missing, Code.noInput), (.unsuitable, .badData), (.cannotCreate, .cannotCreate),
      (.inputOutput, .inputOutput), (.permission, .permission), (.unavailable, .unavailable),
      (.unplaced, .configuration), (.system, .internalError),
    ])
  func files(code: FileError.Code, status: Code) throws {
    let failure = try #require(CommandFailure(classifying: FileError(code, "it fails", remedy: "mend it")))
    #expect(failure == CommandFailure(status, "it fails", remedy: "mend it"))
  }

  @Test(
    "each reason why a session is not given or deleted has its exit code",
    arguments: [
      (SessionError.noName("x"), Code.noInput), (.noNameToDelete("x"), .noInput), (.noneYet(store: "s"), .noInput),
      (.notFound("x", store: "s"), .noInput), (.neitherFound("x", store: "s"), .noInput),
      (.noNameOfEither("x"), .noInput), (.ambiguous("x"), .noInput), (.lastNotDeleted, .usage),
      (.stillRecorded("x"), .locked), (.beingStored("x"), .locked), (.notErased("x"), .unavailable),
      (.noValues("x"), .badData), (.noBeats("x", because: nil), .badData), (.noRates("x"), .badData),
    ])
  func sessions(error: SessionError, status: Code) throws {
    let failure = try #require(CommandFailure(classifying: error))
    #expect(failure == CommandFailure(status, error.message, remedy: error.remedy))
  }
}
