/// Why the program ends: an exit code of sysexits.h and one line for a person.
struct SimulatorFailure: Error, Hashable {
  var code: Int32
  var message: String
}
