/// Ends a command with a code where everything there is to say has been printed already.
package struct EarlierReport: Error, Hashable, Sendable {
  package var status: ExitStatus

  package init(status: ExitStatus) {
    self.status = status
  }
}
