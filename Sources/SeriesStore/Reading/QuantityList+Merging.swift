import FoundationEssentials
import HealthModel

extension QuantityTrack {
  /// The quantities that start in `[from, to)`.
  func clipped(from: Int64, to: Int64) -> QuantityTrack {
    guard let first = starts.first, let last = starts.last, first < from || last >= to else { return self }
    let low = starts.firstIndex { $0 >= from } ?? starts.count
    let high = starts[low...].firstIndex { $0 >= to } ?? starts.count
    return QuantityTrack(
      starts: Array(starts[low..<high]), ends: ends.isEmpty ? [] : Array(ends[low..<high]),
      values: Array(values[low..<high]))
  }

  /// The start of the last quantity; for a track that is not empty.
  var lastStart: Int64 { starts[starts.count - 1] }

  subscript(range: UnboundedRange) -> Part { Part(track: self, range: starts.indices) }

  subscript(range: Range<Int>) -> Part { Part(track: self, range: range) }

  struct Part {
    let track: QuantityTrack
    let range: Range<Int>
  }
}

extension QuantityList {
  mutating func append(_ part: QuantityTrack.Part, owner: Int) {
    let track = part.track
    if !track.ends.isEmpty || !quantities.ends.isEmpty {
      if quantities.ends.isEmpty { quantities.ends = quantities.starts }
      quantities.ends += track.ends.isEmpty ? track.starts[part.range] : track.ends[part.range]
    }
    quantities.starts += track.starts[part.range]
    quantities.values += track.values[part.range]
    owners += repeatElement(Int32(clamping: owner), count: part.range.count)
  }

  /// Makes room for so many quantities; a damaged count must not become a huge allocation.
  mutating func reserveCapacity(_ count: Int) {
    let count = Swift.max(0, Swift.min(count, 1 << 22))
    quantities.starts.reserveCapacity(count)
    quantities.values.reserveCapacity(count)
    owners.reserveCapacity(count)
  }

  /// Adds tracks in order of start; of equal starts those of the sample that was saved first come first.
  ///
  /// Their owners are numbered from `firstOwner` on, and everything in the list starts before them.
  mutating func merge(_ tracks: [QuantityTrack], saved: [Int64], firstOwner: Int) {
    let order = tracks.indices.filter { !tracks[$0].starts.isEmpty }
      .sorted { (tracks[$0].starts[0], saved[$0]) < (tracks[$1].starts[0], saved[$1]) }
    // Only tracks that overlap each other have to be merged value by value.
    var first = 0
    while first < order.count {
      var end = tracks[order[first]].lastStart
      var next = first + 1
      while next < order.count, tracks[order[next]].starts[0] <= end {
        end = Swift.max(end, tracks[order[next]].lastStart)
        next += 1
      }
      switch next - first {
      case 1: append(tracks[order[first]][...], owner: firstOwner + order[first])
      case 2
      where tracks[order[first]].ends.isEmpty && tracks[order[first + 1]].ends.isEmpty && quantities.ends.isEmpty:
        let isInOrder = saved[order[first]] < saved[order[first + 1]]
        let (one, other) = (order[isInOrder ? first : first + 1], order[isInOrder ? first + 1 : first])
        mergeInstants(
          tracks[one], tracks[other],
          owners: (Int32(clamping: firstOwner + one), Int32(clamping: firstOwner + other)))
      default:
        let members = Array(order[first..<next])
        mergeOverlapping(
          members.map { firstOwner + $0 }, members.map { tracks[$0] }, saved: members.map { saved[$0] })
      }
      first = next
    }
  }

  /// Merges two tracks without durations, the usual case of two sensors; of equal starts that of the first track comes
  /// first.
  private mutating func mergeInstants(
    _ one: QuantityTrack, _ other: QuantityTrack, owners parts: (one: Int32, other: Int32)
  ) {
    let base = owners.count
    let count = one.starts.count + other.starts.count
    quantities.starts.append(contentsOf: repeatElement(0, count: count))
    quantities.values.append(contentsOf: repeatElement(0, count: count))
    owners.append(contentsOf: repeatElement(0, count: count))
    Self.interleave(
      one, other, parts, from: base, to: base + count, &quantities.starts, &quantities.values, &owners)
  }

  private static func interleave(
    _ one: QuantityTrack, _ other: QuantityTrack, _ parts: (one: Int32, other: Int32), from base: Int, to end: Int,
    _ startColumn: inout [Int64], _ valueColumn: inout [Double], _ ownerColumn: inout [Int32]
  ) {
    var starts = startColumn.mutableSpan
    var values = valueColumn.mutableSpan
    var owners = ownerColumn.mutableSpan
    let oneStarts = one.starts.span
    let oneValues = one.values.span
    let otherStarts = other.starts.span
    let otherValues = other.values.span
    var (left, right) = (0, 0)
    var leftStart = oneStarts[0]
    var rightStart = otherStarts[0]
    for place in base..<end {
      if leftStart <= rightStart, left < oneStarts.count {
        starts[place] = leftStart
        values[place] = oneValues[left]
        owners[place] = parts.one
        left &+= 1
        leftStart = left < oneStarts.count ? oneStarts[left] : .max
      } else {
        starts[place] = rightStart
        values[place] = otherValues[right]
        owners[place] = parts.other
        right &+= 1
        rightStart = right < otherStarts.count ? otherStarts[right] : .max
      }
    }
  }

  /// Merges many tracks: the part of a track before the next track's next start is copied at once.
  private mutating func mergeOverlapping(_ owners: [Int], _ tracks: [QuantityTrack], saved: [Int64]) {
    var heads = Heads(tracks, saved: saved)
    while let head = heads.first {
      let limit = heads.second.map {
        (start: tracks[$0].starts[heads.positions[$0]], isLater: saved[$0] > saved[head])
      }
      let track = tracks[head]
      let begin = heads.positions[head]
      var end = begin + 1
      if let limit {
        while end < track.starts.count,
          track.starts[end] < limit.start || (track.starts[end] == limit.start && limit.isLater)
        { end += 1 }
      } else {
        end = track.starts.count
      }
      append(track[begin..<end], owner: owners[head])
      heads.advanceFirst(to: end)
    }
  }

  /// The tracks that have quantities left, as a heap by the next one's start and the order of saving.
  private struct Heads {
    private let tracks: [QuantityTrack]
    private let saved: [Int64]
    private(set) var positions: [Int]
    private var heap: [Int] = []

    /// The heap of tracks, all of which have quantities.
    init(_ tracks: [QuantityTrack], saved: [Int64]) {
      self.tracks = tracks
      self.saved = saved
      positions = Array(repeating: 0, count: tracks.count)
      heap = Array(tracks.indices)
      for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    var first: Int? { heap.first }

    /// The track that comes next when the first one is left out.
    var second: Int? {
      switch heap.count {
      case 0, 1: nil
      case 2: heap[1]
      default: isBefore(heap[1], heap[2]) ? heap[1] : heap[2]
      }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
      (tracks[one].starts[positions[one]], saved[one]) < (tracks[other].starts[positions[other]], saved[other])
    }

    mutating func advanceFirst(to position: Int) {
      positions[heap[0]] = position
      if position == tracks[heap[0]].starts.count {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
      }
      if !heap.isEmpty { sink(0) }
    }

    private mutating func sink(_ start: Int) {
      var parent = start
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(heap[child], heap[least]) {
          least = child
        }
        guard least != parent else { return }
        heap.swapAt(parent, least)
        parent = least
      }
    }
  }
}
