/// Pages of a table that stand in several places: a file of a few pages with more rows than can be read.
///
/// Source: sqlite.org/fileformat2.html, sections 1.3 (the header) and 1.6 (B-tree pages).
public enum SharedPages {
  private static let pageSize = 16_384

  /// Puts inner pages above the table at `root`, each of which refers so many times to the next one.
  ///
  /// - Parameters:
  ///   - root: The number of the table's first page.
  ///   - sound: The file, of pages of 16 KiB and without a log.
  ///   - levels: How many inner pages there are one above the other.
  ///   - references: How often each refers to the one below, at most 2,000.
  ///   - isCircle: Whether the lowest one refers to the uppermost instead of the rows.
  /// - Returns: The file.
  public static func multiply(
    root: Int, in sound: [UInt8], levels: Int = 2, references: Int = 2_000, isCircle: Bool = false
  ) -> [UInt8] {
    var file = sound
    let rows = Array(file[(root - 1) * pageSize..<root * pageSize])
    file += rows
    var child = isCircle ? root : file.count / pageSize
    for _ in 1..<levels {
      file += innerPage(to: child, references)
      child = file.count / pageSize
    }
    file.replaceSubrange((root - 1) * pageSize..<root * pageSize, with: innerPage(to: child, references))
    // The number of pages, which counts where the two counters of changes are equal.
    put(file.count / pageSize, 4, at: 28, in: &file)
    file.replaceSubrange(92..<96, with: file[24..<28])
    return file
  }

  private static func innerPage(to child: Int, _ references: Int) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: pageSize)
    // The reference at the page's right end comes on top.
    let (cells, size) = (references - 1, 5)
    page[0] = 5
    put(cells, 2, at: 3, in: &page)
    put(pageSize - cells * size, 2, at: 5, in: &page)
    put(child, 4, at: 8, in: &page)
    for cell in 0..<cells {
      let place = pageSize - (cell + 1) * size
      put(place, 2, at: 12 + 2 * cell, in: &page)
      put(child, 4, at: place, in: &page)
      page[place + 4] = UInt8(min(cell, 127))
    }
    return page
  }

  private static func put(_ number: Int, _ count: Int, at place: Int, in bytes: inout [UInt8]) {
    for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
  }
}
