SELECT CAST((timestamp + 0) / 3600 AS INTEGER) * 3600000 - 0000 AS start_ms, count(*), avg(value), min(value), max(value)
FROM quantity_series_data GROUP BY 1 ORDER BY 1;
