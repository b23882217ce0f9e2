-- The sum keeps the order of the inner query from being left out, and nothing has to be printed.
SELECT count(*), total(beats_per_minute)
FROM (SELECT epoch_millis, beats_per_minute FROM heart_rate_record_series_table ORDER BY epoch_millis, parent_key);
