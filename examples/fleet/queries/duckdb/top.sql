-- The five functions of each service and day in which most time was spent.
WITH used AS (
  SELECT service, date, function, dso, sum(samples) AS samples, sum(period) AS period
  FROM read_parquet('dataset/results/*/*/*/*.parquet', hive_partitioning = true)
  WHERE event LIKE 'cpu-clock%' GROUP BY ALL)
SELECT service, date, function, dso, samples,
       round(100 * period / sum(period) OVER (PARTITION BY service, date), 1) AS percent
FROM used
QUALIFY row_number() OVER (PARTITION BY service, date ORDER BY period DESC, function, dso) <= 5
ORDER BY service, date, period DESC, function, dso;
