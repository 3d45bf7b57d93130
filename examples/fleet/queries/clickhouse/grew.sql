-- What takes a larger share of a service's time on its last day than on the day before.
WITH used AS (
  SELECT service, date, function, dso, sum(period) AS period
  FROM file('dataset/results/*/*/*/*.parquet', Parquet)
  WHERE event LIKE 'cpu-clock%' GROUP BY service, date, function, dso),
shares AS (
  SELECT service, function, dso, 100 * period / sum(period) OVER (PARTITION BY service, date) AS percent,
         dense_rank() OVER (PARTITION BY service ORDER BY date DESC) AS age
  FROM used)
SELECT service, function, dso, round(sumIf(percent, age = 2), 1) AS was, round(sumIf(percent, age = 1), 1) AS is,
       round(sumIf(percent, age = 1) - sumIf(percent, age = 2), 1) AS grew
FROM shares WHERE age <= 2
GROUP BY service, function, dso
HAVING sumIf(percent, age = 1) > sumIf(percent, age = 2)
ORDER BY sumIf(percent, age = 1) - sumIf(percent, age = 2) DESC, service, function, dso LIMIT 20;
