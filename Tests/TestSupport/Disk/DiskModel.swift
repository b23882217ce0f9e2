/// What may be on a disk after a power cut, computed from the calls that a program made.
///
/// The promises are those of POSIX and no more: the content of a file is there when a sync of that file had returned, its
/// name when a sync of the folder had. Before that each write may be there, be missing, be zeros, or be torn at 512
/// bytes; of the changes of a folder's names any number from the beginning may be there. After a sync that failed, what it
/// should have covered is never sure again.
public struct DiskModel: Sendable {
  /// The files, by their paths relative to the root.
  public typealias State = [String: [UInt8]]

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

  private struct Content {
    /// What is sure to be there, but for the changes.
    var bytes: [UInt8] = []
    var changes: [Change] = []
    /// Changes that are in `bytes` by now.
    var folded = 0

    /// Takes the changes at the beginning that are sure.
    mutating func fold() {
      let count = changes.prefix { $0.isDurable }.count
      for change in changes.prefix(count) {
        switch change.kind {
        case .truncate(let length): DiskModel.truncate(&bytes, to: length)
        case .write(let offset, let data): DiskModel.write(data[...], at: offset, to: &bytes)
        }
      }
      changes.removeFirst(count)
      folded += count
    }
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

  private var contents: [Content] = []
  private var files: [UInt64: Int] = [:]
  /// Names as the program sees them.
  private var names: [String: Int] = [:]
  /// Names as the disk has them for sure.
  private var durableNames: [String: Int] = [:]
  /// Changes of names that may be there or not.
  private var nameChanges: [NameChange] = []
  /// What each sync under way covers: changes of a file, or of names.
  private var syncs: [Int64: (file: Int?, folder: String, changes: Int)] = [:]

  /// A disk with these files on it for sure.
  ///
  /// - Parameters:
  ///   - state: The files.
  ///   - inodes: Their inode numbers, by which the program's calls name them.
  public init(holding state: State = [:], inodes: [String: UInt64] = [:]) {
    for (path, bytes) in state.sorted(by: { $0.key < $1.key }) {
      names[path] = contents.count
      if let inode = inodes[path] { files[inode] = contents.count }
      contents.append(Content(bytes: bytes))
    }
    durableNames = names
  }

  /// Takes the next call.
  public mutating func take(_ operation: DiskOperation) {
    switch operation.kind {
    case .open where operation.offset == 1:
      files[operation.file] = contents.count
      change(.create(operation.path, contents.count), operation.path)
      contents.append(Content())
    case .open, .makeFolder, .removeFolder, .receive: break
    // Another process: the syncs of the one before it are numbered anew, and those under way have ended unheard.
    case .start: syncs = [:]
    case .write:
      guard let file = files[operation.file] else { return }
      contents[file].changes.append(Change(kind: .write(offset: Int(operation.offset), operation.data)))
    case .truncate:
      guard let file = files[operation.file] else { return }
      contents[file].changes.append(Change(kind: .truncate(Int(operation.offset))))
    case .rename: change(.rename(operation.path, operation.secondPath), operation.path)
    case .unlink: change(.unlink(operation.path), operation.path)
    case .link:
      guard let file = names[operation.path] else { return }
      change(.create(operation.secondPath, file), operation.secondPath)
    case .syncBegin:
      let file = files[operation.file]
      let changes = file.map { contents[$0].folded + contents[$0].changes.count } ?? nameChanges.count
      syncs[operation.offset] = (file, operation.path, changes)
    case .syncEnd: endSync(operation)
    }
  }

  private mutating func endSync(_ operation: DiskOperation) {
    guard let sync = syncs.removeValue(forKey: operation.offset) else { return }
    if let file = sync.file {
      for index in 0..<max(0, sync.changes - contents[file].folded) where !contents[file].changes[index].isDurable {
        if operation.result == 0, !contents[file].changes[index].isOrphan {
          contents[file].changes[index].isDurable = true
        }
        if operation.result < 0 { contents[file].changes[index].isOrphan = true }
      }
      contents[file].fold()
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
  public func cut(using random: inout some RandomNumberGenerator) -> State {
    var names = durableNames
    for folder in Set(nameChanges.map(\.folder)).sorted() {
      let changes = nameChanges.filter { $0.folder == folder }
      for change in changes.prefix(Int.random(in: 0...changes.count, using: &random)) {
        Self.apply(change.kind, to: &names)
      }
    }
    // All that was written may be there, nothing, or anything between.
    let mood = Int.random(in: 0..<4, using: &random)
    var state: State = [:]
    for (path, file) in names.sorted(by: { $0.key < $1.key }) {
      var bytes = contents[file].bytes
      for change in contents[file].changes { Self.apply(change, to: &bytes, mood: mood, using: &random) }
      state[path] = bytes
    }
    return state
  }

  private static func apply(
    _ change: Change, to bytes: inout [UInt8], mood: Int, using random: inout some RandomNumberGenerator
  ) {
    let fate = change.isDurable || mood == 0 ? 0 : mood == 1 ? 1 : Int.random(in: 0..<4, using: &random)
    switch change.kind {
    case .truncate(let length):
      guard fate == 0 else { return }
      truncate(&bytes, to: length)
    case .write(let offset, let data):
      guard fate != 1 else { return }
      extend(&bytes, to: offset + data.count)
      guard fate != 2 else { return }
      var start = 0
      while start < data.count {
        // To the end of the sector.
        let end = min(data.count, start + 512 - (offset + start) % 512)
        if fate == 0 || Bool.random(using: &random) { write(data[start..<end], at: offset + start, to: &bytes) }
        start = end
      }
    }
  }

  private static func write(_ data: ArraySlice<UInt8>, at offset: Int, to bytes: inout [UInt8]) {
    extend(&bytes, to: offset + data.count)
    bytes.replaceSubrange(offset..<offset + data.count, with: data)
  }

  private static func truncate(_ bytes: inout [UInt8], to length: Int) {
    bytes.removeLast(max(0, bytes.count - length))
    extend(&bytes, to: length)
  }

  private static func extend(_ bytes: inout [UInt8], to length: Int) {
    bytes += [UInt8](repeating: 0, count: max(0, length - bytes.count))
  }

  private mutating func change(_ kind: NameChange.Kind, _ path: String) {
    Self.apply(kind, to: &names)
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
