import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import Support
import Timeline

@testable import Captures

extension FuzzTarget {
  static var btsnoopMagic: [UInt8] { BTSnoop.magic }
  static var pcapngMagic: [UInt8] { PCAPNG.magic }

  /// A capture of any format. `bytes` come as they are, and once more with a handle for connections of unknown services.
  static func readCapture(_ bytes: [UInt8]) throws(BrokenPromise) {
    for handle in [nil, 0x10] as [UInt16?] {
      guard let contents = try? CaptureFile.read(bytes: bytes, handle: handle) else { continue }
      try BrokenPromise.unless(!contents.captures.isEmpty, "a capture that was read holds a session")
      for capture in contents.captures { try copy(capture) }
    }
  }

  /// A capture of our own, its checksums mended as in ``readJournal(_:)``, through the final pass.
  static func readSession(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let contents = try? CaptureReader.read(mended(bytes[...])) else { return }
    for capture in contents.captures {
      do {
        _ = try RecordedSession(of: capture, version: "0")
      } catch {
        throw BrokenPromise(description: "the final pass refuses a capture: \(error)")
      }
    }
  }

  /// Segments, divided by the byte 0x1E. Lines that end in `!` get their checksum in its place, which no fuzzer could guess.
  static func readJournal(_ bytes: [UInt8]) throws(BrokenPromise) {
    let segments = bytes.split(separator: 0x1E, maxSplits: 3, omittingEmptySubsequences: false).map { mended($0) }
    if let contents = try? CaptureReader.read(segments[0]) {
      for capture in contents.captures { try copy(capture) }
    }
    let folder = try JournalFolder(segments)
    defer { folder.remove() }
    let found = try? JournalReader.read(directory: folder.path)
    try BrokenPromise.unless(found != nil, "a journal's folder is read, whatever its segments hold")
    do {
      let (journal, recovered) = try Journal.open(directory: folder.path)
      try BrokenPromise.unless(
        recovered.sessions.count <= found?.sessions.count ?? 0, "recovery finds no session that reading does not find")
      for session in recovered.sessions { _ = try? journal.capture(of: session.capture.session) }
    } catch let broken as BrokenPromise {
      throw broken
    } catch {
      throw BrokenPromise(description: "a recorder cannot start on this journal: \(error)")
    }
  }

  /// A capture's way into the project's own form and back.
  private static func copy(_ capture: Capture) throws(BrokenPromise) {
    let again = try? CaptureReader.read(CaptureEncoder.encode(capture))
    try BrokenPromise.unless(again?.damageCount == 0, "what was read can be written as ours, and read without damage")
    try BrokenPromise.unless(again?.captures == [capture], "it is the same capture then")
  }

  private static func mended(_ segment: ArraySlice<UInt8>) -> [UInt8] {
    var mended: [UInt8] = []
    var line: [UInt8] = []
    for byte in segment {
      guard byte == UInt8(ascii: "\n"), line.last == UInt8(ascii: "!") else {
        line.append(byte)
        if byte == UInt8(ascii: "\n") {
          mended += line
          line = []
        }
        continue
      }
      line.removeLast()
      let checksum = String(CRC32C.checksum(line.span, 0..<line.count), radix: 16)
      mended += line + Array(" \(String(repeating: "0", count: 8 - checksum.count))\(checksum)\n".utf8)
      line = []
    }
    return mended + line
  }
}

/// A journal's folder with these segments, in memory where there is such a file system.
private struct JournalFolder {
  let path: String

  init(_ segments: [[UInt8]]) throws(BrokenPromise) {
    let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    path = "\(parent)/sensord-fuzz-\(getpid())-\(UUID().uuidString)"
    guard unsafe mkdir(path, 0o700) == 0 else { throw BrokenPromise(description: "cannot make \(path)") }
    for (index, segment) in segments.enumerated() {
      do throws(SystemError) {
        let descriptor = unsafe open("\(path)/\(SegmentName.name(index + 1))", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        try OpenFile(descriptor: descriptor).writeAll(segment)
      } catch {
        throw BrokenPromise(description: "cannot write a segment in \(path)")
      }
    }
  }

  func remove() {
    if let folder = try? Directory(path: path) {
      for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    }
    unsafe rmdir(path)
  }
}
