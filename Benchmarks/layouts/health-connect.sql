-- A record table and a row for each sample beside it, found by an index on its parent, as in Android's Health Connect.
-- Loaded from rates.csv (series, milliseconds since 1970, rate) in the current folder.
CREATE TABLE heart_rate_record_table (
  row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB UNIQUE NOT NULL, last_modified_time INTEGER,
  start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER, app_info_id INTEGER);
CREATE TABLE heart_rate_record_series_table (
  parent_key INTEGER REFERENCES heart_rate_record_table (row_id) ON DELETE CASCADE,
  beats_per_minute INTEGER, epoch_millis INTEGER);
CREATE INDEX heart_rate_record_series_table_parent ON heart_rate_record_series_table (parent_key);
CREATE TEMP TABLE staging (series INTEGER, ms INTEGER, bpm INTEGER);
.mode csv
.import rates.csv staging
BEGIN;
INSERT INTO heart_rate_record_table
  SELECT series, randomblob(16), 0, min(ms), 0, max(ms), 0, 1 FROM staging GROUP BY series;
INSERT INTO heart_rate_record_series_table SELECT series, bpm, ms FROM staging ORDER BY series, ms;
COMMIT;
ANALYZE;
