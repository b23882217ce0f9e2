SELECT CAST((timestamp + 0) / 86400 AS INTEGER) * 86400000 - 0000 AS start_ms, count(*), avg(value), min(value), max(value)
FROM quantity_series_data GROUP BY 1 ORDER BY 1;
