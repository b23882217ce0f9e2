internal import DBus
internal import Glibc

/// A Unix socket for live scenario items: one JSON line each, answered with `ok` or `error …`.
final class ControlSocket {
  private let loop: EventLoop
  private let listener: FileDescriptor
  private let perform: ([ScenarioItem]) -> Void
  private var clients: [Int32: Client] = [:]

  private struct Client {
    let descriptor: SharedDescriptor
    let watch: WatchToken
    var line: [UInt8] = []
  }

  /// The longest line accepted; no item is longer.
  private static let longestLine = 1 << 16

  /// Listens on `path`, which must not exist or be a socket that nobody listens on; nil if that fails.
  ///
  /// Only on the loop's thread or before it runs.
  init?(path: String, loop: EventLoop, perform: @escaping ([ScenarioItem]) -> Void) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else { return nil }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    Self.removeSocket(path)
    let number = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { return nil }
    listener = FileDescriptor(owning: number)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, size) }
    }
    self.loop = loop
    self.perform = perform
    guard bound == 0, listen(number, 8) == 0 else { return nil }
    guard (try? loop.watch(number, for: .readable, { [weak self] _ in self?.accept() })) != nil else { return nil }
  }

  /// Removes a socket that an earlier run left. A file of another kind stays, and binding then fails.
  static func removeSocket(_ path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    unsafe unlink(path)
  }

  private func accept() {
    let number = Glibc.accept(listener.number, nil, nil)
    guard number >= 0 else { return }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    let descriptor = SharedDescriptor(FileDescriptor(owning: number))
    guard let watch = try? loop.watch(number, for: .readable, { [weak self] _ in self?.read(number) }) else { return }
    clients[number] = Client(descriptor: descriptor, watch: watch)
  }

  private func read(_ number: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return forget(number) }
    for byte in buffer[..<count] {
      guard byte == UInt8(ascii: "\n") else {
        clients[number]?.line.append(byte)
        continue
      }
      let line = clients[number]?.line ?? []
      clients[number]?.line = []
      answer(number, handle(line))
    }
    if let client = clients[number], client.line.count > Self.longestLine { forget(number) }
  }

  private func handle(_ line: [UInt8]) -> String {
    do {
      perform(try Scenario.items(json: line))
      return "ok\n"
    } catch {
      return "error \(error.description)\n"
    }
  }

  private func answer(_ number: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  private func forget(_ number: Int32) {
    guard let client = clients.removeValue(forKey: number) else { return }
    loop.cancel(client.watch)
    _ = client.descriptor.take()
  }
}
