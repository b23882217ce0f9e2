import CLinux
import DBus
import Glibc

/// Tells when a file or its companions (`-wal`) in the same folder are written, without polling (inotify).
final class FolderWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - file: The path of the file; its folder must exist.
  ///   - changed: Called on the loop's thread, once for however many writes came together.
  init(_ file: String, on loop: EventLoop, changed: @escaping () -> Void) throws(DBusError) {
    let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the store's folder") }
    descriptor = FileDescriptor(owning: number)
    let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(file[..<$0]) } ?? "."
    let name = slash.map { String(file[file.index(after: $0)...]) } ?? file
    let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
    guard unsafe inotify_add_watch(number, folder.isEmpty ? "/" : folder, mask) >= 0 else {
      throw DBusError(.system(errno: errno), "watching the store's folder")
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      if Self.drain(number, lookingFor: name) { changed() }
    }
  }

  deinit {
    loop.cancel(token)
  }

  /// Reads what is there; whether it was about the file.
  private static func drain(_ descriptor: Int32, lookingFor name: String) -> Bool {
    var found = false
    var buffer = [UInt8](repeating: 0, count: 4096)
    let header = MemoryLayout<inotify_event>.size
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return found }
      var position = 0
      while position + header <= count {
        let length = Int(
          unsafe buffer.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: position + header - 4, as: UInt32.self)
          })
        let text = buffer[(position + header)..<min(count, position + header + length)].prefix { $0 != 0 }
        if text.starts(with: name.utf8) { found = true }
        position += header + length
      }
    }
  }
}
