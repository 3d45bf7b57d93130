-- One file of results for each service and day, for what is asked of many days. Hosts and
-- recordings are columns in it; the dataset's own files of that day may then be removed.
COPY (
  SELECT * FROM read_parquet('dataset/results/*/*/*/*.parquet', hive_partitioning = true)
  ORDER BY service, date, dso, function, event, recording
) TO 'compact/results' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (service, date), OVERWRITE_OR_IGNORE);
