package import DBus
package import FoundationEssentials

// The objects of sessions, series and workouts are called by their identifiers, with `_` for `-`, which no path may have.

extension ObjectPath {
  /// The path of an object that is directly below `parent`.
  package static func object(_ identifier: UUID, below parent: ObjectPath) -> ObjectPath {
    parent.appending(String(identifier.uuidString.lowercased().map { $0 == "-" ? "_" : $0 })) ?? parent
  }

  /// The identifier of the object with this path; nil where it is not directly below `parent`.
  package func identifier(below parent: ObjectPath) -> UUID? {
    guard self.parent == parent else { return nil }
    return UUID(uuidString: String(lastElement.map { $0 == "_" ? "-" : $0 }))
  }

  /// The paths of the nodes that are directly below this one, by the introspection data of a recorder, which has one on each line.
  package func children(in introspection: String) -> [ObjectPath] {
    introspection.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"", omittingEmptySubsequences: false)
      return words.count == 3 && words[0] == "  <node name=" ? appending(String(words[1])) : nil
    }
  }
}
