import Glibc

extension RouteLocation {
  /// The distance to another place in metres: along the great circle of a sphere with the Earth's mean radius, 6,371,008.8 m.
  ///
  /// Heights do not count. The Earth is no sphere, so it may be wrong by half a per cent, less than receivers are.
  /// Source: the haversine formula; the radius is R₁ of Moritz, Geodetic Reference System 1980.
  public func distance(to other: RouteLocation) -> Double {
    let radians = Double.pi / 180
    let (south, east) = ((other.latitude - latitude) * radians / 2, (other.longitude - longitude) * radians / 2)
    let square =
      sin(south) * sin(south) + cos(latitude * radians) * cos(other.latitude * radians) * sin(east) * sin(east)
    // Of opposite places the sum may be a little over 1.
    return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
  }
}
