-- The sum keeps the order of the inner query from being left out, and nothing has to be printed.
SELECT count(*), sum(value)
FROM (SELECT timestamp, value FROM quantity_series_data ORDER BY timestamp, series_identifier);
