.parameter set :series 1
SELECT count(*), CAST(sum(value) AS INTEGER), CAST(sum(CAST(round(timestamp * 1000) AS INTEGER)) AS INTEGER)
FROM (SELECT timestamp, value FROM quantity_series_data WHERE series_identifier = :series ORDER BY timestamp);
