internal import Centre
internal import PostgreSQL
internal import SeriesStore

/// What went wrong, in one line, with a code of sysexits.h.
struct ForwardFailure: Error {
  enum Status: Int32 {
    case different = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case io = 74
    case retry = 75
    case permission = 77
    case configuration = 78
  }

  var status: Status
  var message: String
  /// Whether the same may work later by itself.
  var isTransient = false
  /// Whether forwarding only has to begin anew, since the centre's anchor was put back to the start, or the store is another one or
  /// an older copy: nothing is wrong.
  var isStart = false
  /// Whether the centre refused it, so that the transaction is over.
  var isOfCentre = false

  init(_ status: Status, _ message: String, isTransient: Bool = false) {
    self.status = status
    self.message = message
    self.isTransient = isTransient
  }

  init(_ failure: DatabaseFailure) {
    defer { isOfCentre = true }
    switch (failure.state ?? "", failure.remedy) {
    case (_, .retry): self.init(.retry, "the centre: \(failure.message); nothing is lost", isTransient: true)
    case (_, .person) where failure.isConnecting && failure.message.contains("no password supplied"):
      self.init(
        .permission,
        "the centre asks for a password, and there is none: set password-file in [centre] of the configuration")
    case (_, .person) where failure.isConnecting:
      self.init(.permission, "the centre: \(failure.message); see [centre] of the configuration")
    case ("42P01", _), ("42703", _), ("42804", _):
      self.init(
        .configuration,
        "the centre: \(failure.message); its tables are not those of this program, see 'sensord-forward schema'")
    case ("42501", _):
      self.init(.permission, "the centre: \(failure.message); the login must be in the role sensord_gateway")
    case ("2F003", _):
      self.init(.permission, "the centre: \(failure.message); the user mapping for that node needs a password")
    default: self.init(.data, "the centre: \(failure.message); nothing of this part was stored")
    }
  }

  init(_ error: StoreError) {
    switch error.code {
    case .missing: self.init(.noInput, Self.placed(error), isTransient: true)
    case .locked, .full, .io: self.init(.io, error.message, isTransient: true)
    case .permission: self.init(.permission, error.message + "; is the user in the group sensord?")
    case .newerVersion: self.init(.configuration, error.message)
    case .cannotCreate: self.init(.cannotCreate, error.message)
    case .foreignAnchor, .lostAnchor:
      self.init(.data, error.message)
      isStart = true
    default: self.init(.data, Self.placed(error))
    }
  }

  /// Here the configuration says where the store is.
  private static func placed(_ error: StoreError) -> String {
    error.message.replacing("with --store", with: "with 'path' in [store] of the configuration")
  }
}
