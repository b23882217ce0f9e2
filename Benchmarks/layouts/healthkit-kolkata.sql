SELECT CAST((timestamp + 19800) / 3600 AS INTEGER) * 3600000 - 19800000 AS start_ms, count(*), avg(value), min(value), max(value)
FROM quantity_series_data GROUP BY 1 ORDER BY 1;
