.parameter set :series 1
SELECT count(*), sum(beats_per_minute), sum(epoch_millis)
FROM (SELECT epoch_millis, beats_per_minute FROM heart_rate_record_series_table WHERE parent_key = :series ORDER BY epoch_millis);
