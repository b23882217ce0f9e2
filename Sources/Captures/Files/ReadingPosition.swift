/// How far a reader has come in a file of which it has one part at a time, see ``FileWindow``.
struct ReadingPosition {
  /// The next byte, counted from the start of the part.
  var index: Int
  /// Where the part begins in the file.
  private(set) var partStart = 0
  /// The file's length.
  private(set) var fileLength: Int
  /// The number of bytes from `index` on that the reader needs before it can go on; 0 where it has come to its end.
  var needed = 0

  init(index: Int = 0, fileLength: Int) {
    self.index = index
    self.fileLength = fileLength
  }

  /// The next byte, counted from the start of the file.
  var fileOffset: Int { fileOffset(of: index) }
  /// The bytes of the file that are not read yet, in this part and behind it.
  var remaining: Int { fileLength - fileOffset }

  /// A byte of the part, counted from the start of the file.
  func fileOffset(of index: Int) -> Int { partStart + index }

  /// The part begins at the next byte now, and `count` bytes are all that the file has from there on where `isLast`.
  mutating func movePart(count: Int, isLast: Bool) {
    partStart += index
    index = 0
    needed = 0
    if isLast { fileLength = partStart + count }
  }
}
