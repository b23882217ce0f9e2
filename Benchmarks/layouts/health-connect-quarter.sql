SELECT (epoch_millis + 0000) / 900000 * 900000 - 0000 AS start_ms, count(*), avg(beats_per_minute), min(beats_per_minute), max(beats_per_minute)
FROM heart_rate_record_series_table JOIN heart_rate_record_table ON row_id = parent_key GROUP BY 1 ORDER BY 1;
