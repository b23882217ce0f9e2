import CLinux
import DBus
import Glibc
import Recordings

/// The folder in which the demo's private bus and status file live; removed at its end.
final class DemoFolder {
  let path: String
  var busConfiguration: String { "\(path)/bus.conf" }
  var busSocket: String { "\(path)/bus" }
  var busAddress: String { "unix:path=\(busSocket)" }
  /// The recorder's runtime directory.
  var runtime: String { "\(path)/run" }

  /// Makes the folder in `TMPDIR` where that path is short enough for the path of a socket (107 bytes), else in `/tmp`.
  init(environment: ProcessEnvironment) throws(FileError) {
    let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") && $0.utf8.count < 64 ? $0 : nil } ?? "/tmp"
    var template = Array("\(parent)/sensord-demo.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw FileError(errno, "cannot make a folder in \(parent)", otherwise: .cannotCreate)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard unsafe mkdir(runtime, 0o700) == 0 else {
      throw FileError(errno, "cannot make the folder \(runtime)", otherwise: .cannotCreate)
    }
    let file = try ReplacedFile(path: busConfiguration)
    try file.write(Array(configuration.utf8))
    try file.finish(durably: false)
  }

  deinit {
    for file in ["\(runtime)/\(StatusFile.name)", busConfiguration, busSocket] { unsafe unlink(file) }
    unsafe rmdir(runtime)
    unsafe rmdir(path)
  }

  /// A bus for this user alone, on which everybody may own the name of bluetoothd.
  private var configuration: String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(busAddress)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="false"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
      </policy>
    </busconfig>

    """
  }
}

/// Reports when a file in a folder is put in place, without polling.
final class FolderChanges {
  private let descriptor: FileDescriptor
  private let loop: EventLoop
  private var watch: WatchToken?

  /// Calls `changed` on the loop's thread, once for all changes since the last call.
  init(_ path: String, on loop: EventLoop, _ changed: @escaping () -> Void) throws {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw FileError(errno, "cannot watch \(path)", otherwise: .system) }
    descriptor = FileDescriptor(owning: number)
    self.loop = loop
    guard unsafe inotify_add_watch(number, path, UInt32(IN_MOVED_TO | IN_DELETE)) >= 0 else {
      throw FileError(errno, "cannot watch \(path)", otherwise: .system)
    }
    watch = try loop.watch(number, for: .readable) { _ in
      var events = [UInt8](repeating: 0, count: 4_096)
      while unsafe read(number, &events, events.count) > 0 {}
      changed()
    }
  }

  /// Stops calling `changed`.
  func cancel() {
    if let watch { loop.cancel(watch) }
    watch = nil
  }
}
