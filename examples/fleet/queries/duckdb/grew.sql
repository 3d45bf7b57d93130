-- What takes a larger share of a service's time on its last day than on the day before.
WITH used AS (
  SELECT service, date, function, dso, sum(period) AS period
  FROM read_parquet('dataset/results/*/*/*/*.parquet', hive_partitioning = true)
  WHERE event LIKE 'cpu-clock%' GROUP BY ALL),
shares AS (
  SELECT service, function, dso, 100 * period / sum(period) OVER (PARTITION BY service, date) AS percent,
         dense_rank() OVER (PARTITION BY service ORDER BY date DESC) AS age
  FROM used)
SELECT service, function, dso, round(coalesce(was.percent, 0), 1) AS was, round(now.percent, 1) AS is,
       round(now.percent - coalesce(was.percent, 0), 1) AS grew
FROM (FROM shares WHERE age = 1) now LEFT JOIN (FROM shares WHERE age = 2) was
  USING (service, function, dso)
WHERE now.percent > coalesce(was.percent, 0)
ORDER BY now.percent - coalesce(was.percent, 0) DESC, service, function, dso LIMIT 20;
