-- A row for each quantity, as in HealthKit's database: the series and the time are the key, times and values are reals.
-- Loaded from rates.csv (series, milliseconds since 1970, rate) in the current folder.
CREATE TABLE quantity_series (series_identifier INTEGER PRIMARY KEY, start_date REAL NOT NULL, count INTEGER NOT NULL);
CREATE TABLE quantity_series_data (
  series_identifier INTEGER NOT NULL REFERENCES quantity_series (series_identifier),
  timestamp REAL NOT NULL, value REAL NOT NULL, duration REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (series_identifier, timestamp)) WITHOUT ROWID;
CREATE TEMP TABLE staging (series INTEGER, ms INTEGER, bpm INTEGER);
.mode csv
.import rates.csv staging
BEGIN;
INSERT INTO quantity_series SELECT series, min(ms) / 1000.0, count(*) FROM staging GROUP BY series;
INSERT INTO quantity_series_data SELECT series, ms / 1000.0, bpm, 0 FROM staging ORDER BY series, ms;
COMMIT;
ANALYZE;
