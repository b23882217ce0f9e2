extension Connection {
  var provenance: ProvenanceTables { ProvenanceTables(connection: self) }
  var types: TypeTable { TypeTable(connection: self) }
  var changeList: ChangeList { ChangeList(connection: self) }
  var metadata: MetadataTable { MetadataTable(connection: self) }
  var samples: SampleTable { SampleTable(connection: self) }
  var associations: AssociationTable { AssociationTable(connection: self) }
  var chunks: ChunkTable { ChunkTable(connection: self) }
  var quantitySeries: QuantitySeriesTable { QuantitySeriesTable(connection: self) }
  var heartbeatSeries: HeartbeatSeriesTable { HeartbeatSeriesTable(connection: self) }
  var workouts: WorkoutTable { WorkoutTable(connection: self) }
  var sessions: SessionTable { SessionTable(connection: self) }
  var clocks: ClockTable { ClockTable(connection: self) }
  var sensors: SensorList { SensorList(connection: self) }
  var anchors: AnchorTable { AnchorTable(connection: self) }
  var grants: GrantTable { GrantTable(connection: self) }
}
