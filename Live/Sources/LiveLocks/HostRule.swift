/// Which names the hub answers to, so that a page from elsewhere cannot reach it: neither by a name of its own that leads to this machine
/// (DNS rebinding), nor as another page of the same browser.
public struct HostRule: Sendable {
  private let hosts: Set<String>
  private let origins: Set<String>

  /// - Parameters:
  ///   - port: Where it listens: `localhost`, `127.0.0.1` and `[::1]` with this port are its names.
  ///   - hosts: Further ones, with their port where it is not that of the scheme: those of a proxy. Pages of theirs may come over http or https.
  public init(port: Int, hosts: [String] = []) {
    let own = ["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(port)" }
    self.hosts = Set(own + hosts.map { $0.lowercased() })
    origins = Set(
      own.map { "http://\($0)" } + hosts.flatMap { ["http://\($0.lowercased())", "https://\($0.lowercased())"] })
  }

  /// Whether a request was meant for the hub: by its only `Host`.
  public func allows(hosts values: [String]) -> Bool {
    values.count == 1 && hosts.contains(values[0].lowercased())
  }

  /// Whether a request comes from a page of the hub, or from no page.
  public func allows(origins values: [String]) -> Bool {
    values.allSatisfy { origins.contains($0.lowercased()) }
  }
}
