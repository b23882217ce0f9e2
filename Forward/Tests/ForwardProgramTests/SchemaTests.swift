import Centre
import FoundationEssentials
import TestSupport
import Testing

@testable import sensord_forward

/// What `schema` prints for programs.
@Suite("The centre's schema for programs", .serialized)
struct SchemaTests {
  private struct Schema: Decodable {
    var engine: String
    var version: Int
    var servers: [String]
    var statements: [String]
  }

  /// All that the script makes but extensions: relations with their columns, rights, rules, views, indexes and nodes.
  private static let made = """
    SELECT 'relation', oid::regclass::text, relkind::text, relrowsecurity::text, relacl::text, reloptions::text FROM pg_class
      WHERE relname LIKE 'sensord%'
    UNION ALL SELECT 'column', attrelid::regclass::text, attname, atttypid::regtype::text, attnotnull::text, attnum::text
      FROM pg_attribute WHERE attrelid::regclass::text LIKE 'sensord%'
    UNION ALL SELECT 'policy', tablename, policyname, roles::text, qual, with_check FROM pg_policies
    UNION ALL SELECT 'view', viewname, definition, NULL, NULL, NULL FROM pg_views WHERE viewname LIKE 'sensord%'
    UNION ALL SELECT 'index', tablename, indexdef, NULL, NULL, NULL FROM pg_indexes WHERE tablename LIKE 'sensord%'
    UNION ALL SELECT 'node', srvname, srvoptions::text, NULL, NULL, NULL FROM pg_foreign_server
    UNION ALL SELECT 'version', version::text, NULL, NULL, NULL, NULL FROM sensord_schema ORDER BY 1, 2, 3, 4, 5, 6
    """

  @Test(
    "as JSON it has statements that, one after the other, make what the script makes",
    arguments: [[], ["--engine", "fdw", "--node", "host=/node-1 dbname=sensord", "--node", "host=node-2.example"]])
  func statements(words: [String]) throws {
    let server = try TestServer()
    func run(_ words: [String]) throws -> String {
      let (output, errors) = (try OutputFile(), try OutputFile())
      let program = try StartedProgram(
        TestGateway.program, ["schema"] + words, output: output.descriptor, errors: errors.descriptor)
      #expect(program.wait() == 0, "\(errors.text)")
      return output.text
    }
    try server.makeCentre("script", gateways: [], script: try run(words))
    let schema = try JSONDecoder().decode(Schema.self, from: Data(try run(words + ["--json"]).utf8))
    #expect(schema.engine == (words.isEmpty ? "postgres" : "fdw") && schema.version == CentreSchema.version)
    #expect(schema.servers == (words.isEmpty ? [] : ["sensord_node_0", "sensord_node_1"]))
    try server.makeCentre("statements", gateways: [], script: "SELECT 1")
    var database = try server.connect("statements")
    // With parameters, of which there are none, a server takes one statement only.
    for statement in schema.statements { try database.run(statement) }
    let made = try database.run(Self.made).rows
    var script = try server.connect("script")
    let expected = try script.run(Self.made).rows
    #expect(made.count > 200 && made == expected)
  }
}
