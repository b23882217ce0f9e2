SELECT CAST(round(timestamp * 1000) AS INTEGER), CAST(value AS INTEGER)
FROM quantity_series_data ORDER BY timestamp, series_identifier;
