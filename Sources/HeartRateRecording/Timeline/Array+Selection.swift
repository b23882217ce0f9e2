extension Array where Element: Comparable {
  /// The element that would be at `rank` if the array were sorted. Reorders the array (quickselect: "Find", C. A. R. Hoare
  /// 1961).
  ///
  /// For a median, each element is compared about three times; sorting compares it a dozen times.
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
