extension Array where Element: Comparable {
  /// The element that would stand at `rank` if the array were sorted; moves the others about ("Find", C. A. R. Hoare 1961).
  ///
  /// A median takes about three looks at each element, where sorting takes a dozen.
  mutating func select(_ rank: Int) -> Element {
    var low = 0
    var high = count - 1
    while low < high {
      let pivot = self[rank]
      var left = low
      var right = high
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if right < rank { low = left }
      if rank < left { high = right }
    }
    return self[rank]
  }
}
