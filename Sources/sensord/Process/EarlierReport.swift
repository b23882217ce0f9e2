/// Ends a command with a code where everything there is to say has been printed already.
struct EarlierReport: Error, Hashable {
  var status: ExitStatus
}
