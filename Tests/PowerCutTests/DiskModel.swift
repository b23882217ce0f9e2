/// What may be on a disk after a power cut, computed from the calls that a program made.
///
/// The promises are those of POSIX and no more: the content of a file is there when a sync of that file had returned, its
/// name when a sync of the folder had. Before that each write may be there, be missing, be zeros, or be torn at 512
/// bytes; of the changes of a folder's names any number from the beginning may be there. After a sync that failed, what it
/// should have covered is never sure again.
struct DiskModel {
  /// The files, by their paths relative to the root.
  typealias State = [String: [UInt8]]

  private struct Change {
    enum Kind {
      case write(offset: Int, [UInt8])
      case truncate(Int)
    }
    let kind: Kind
    var isDurable = false
    /// A sync that should have covered it failed.
    var isOrphan = false
  }

  private struct NameChange {
    enum Kind {
      case create(String, Int)
      case rename(String, String)
      case unlink(String)
    }
    let kind: Kind
    let folder: String
  }

  private var contents: [[Change]] = []
  private var files: [UInt64: Int] = [:]
  /// Names as the disk has them for sure.
  private var durableNames: [String: Int] = [:]
  /// Changes of names that may be there or not.
  private var nameChanges: [NameChange] = []
  /// What each sync under way covers: changes of a file, or of names.
  private var syncs: [Int64: (file: Int?, folder: String, changes: Int)] = [:]

  /// Takes the next call.
  mutating func take(_ operation: Operation) {
    switch operation.kind {
    case .open where operation.offset == 1:
      files[operation.file] = contents.count
      change(.create(operation.path, contents.count), operation.path)
      contents.append([])
    case .open, .makeFolder, .removeFolder: break
    case .write:
      guard let file = files[operation.file] else { return }
      contents[file].append(Change(kind: .write(offset: Int(operation.offset), operation.data)))
    case .truncate:
      guard let file = files[operation.file] else { return }
      contents[file].append(Change(kind: .truncate(Int(operation.offset))))
    case .rename: change(.rename(operation.path, operation.secondPath), operation.path)
    case .unlink: change(.unlink(operation.path), operation.path)
    case .syncBegin:
      let file = files[operation.file]
      let changes = file.map { contents[$0].count } ?? nameChanges.count
      syncs[operation.offset] = (file, operation.path, changes)
    case .syncEnd: endSync(operation)
    }
  }

  private mutating func endSync(_ operation: Operation) {
    guard let sync = syncs.removeValue(forKey: operation.offset) else { return }
    if let file = sync.file {
      for index in 0..<sync.changes where !contents[file][index].isDurable {
        if operation.result == 0, !contents[file][index].isOrphan { contents[file][index].isDurable = true }
        if operation.result < 0 { contents[file][index].isOrphan = true }
      }
    } else if operation.result == 0 {
      var kept: [NameChange] = []
      for (index, change) in nameChanges.enumerated() {
        if index < sync.changes, change.folder == sync.folder {
          Self.apply(change.kind, to: &durableNames)
        } else {
          kept.append(change)
        }
      }
      // Another folder's sync under way covers fewer now.
      let removed = nameChanges.count - kept.count
      for number in syncs.keys where syncs[number]?.file == nil { syncs[number]?.changes -= removed }
      nameChanges = kept
    }
  }

  /// One of the states that a cut at this moment can leave.
  func cut(using random: inout some RandomNumberGenerator) -> State {
    var names = durableNames
    for folder in Set(nameChanges.map(\.folder)).sorted() {
      let changes = nameChanges.filter { $0.folder == folder }
      for change in changes.prefix(Int.random(in: 0...changes.count, using: &random)) {
        Self.apply(change.kind, to: &names)
      }
    }
    // All that was written may be there, nothing, or anything between.
    let mood = Int.random(in: 0..<4, using: &random)
    return names.mapValues { file in
      contents[file].reduce(into: [UInt8]()) { bytes, change in
        Self.apply(change, to: &bytes, mood: mood, using: &random)
      }
    }
  }

  private static func apply(
    _ change: Change, to bytes: inout [UInt8], mood: Int, using random: inout some RandomNumberGenerator
  ) {
    let fate = change.isDurable || mood == 0 ? 0 : mood == 1 ? 1 : Int.random(in: 0..<4, using: &random)
    switch change.kind {
    case .truncate(let length):
      guard fate == 0 else { return }
      bytes.removeLast(max(0, bytes.count - length))
      bytes += [UInt8](repeating: 0, count: max(0, length - bytes.count))
    case .write(let offset, let data):
      guard fate != 1 else { return }
      bytes += [UInt8](repeating: 0, count: max(0, offset + data.count - bytes.count))
      guard fate != 2 else { return }
      var start = 0
      while start < data.count {
        // To the end of the sector.
        let end = min(data.count, start + 512 - (offset + start) % 512)
        if fate == 0 || Bool.random(using: &random) {
          bytes.replaceSubrange(offset + start..<offset + end, with: data[start..<end])
        }
        start = end
      }
    }
  }

  private mutating func change(_ kind: NameChange.Kind, _ path: String) {
    nameChanges.append(NameChange(kind: kind, folder: Self.folder(of: path)))
  }

  private static func apply(_ kind: NameChange.Kind, to names: inout [String: Int]) {
    switch kind {
    case .create(let path, let file): names[path] = file
    case .unlink(let path): names[path] = nil
    case .rename(let path, let newPath):
      if let file = names.removeValue(forKey: path) { names[newPath] = file }
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
