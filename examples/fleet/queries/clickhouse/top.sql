-- The five functions of each service and day in which most time was spent.
SELECT service, toString(date) AS day, function, dso, sum(samples) AS samples,
       round(100 * sum(period) / any(all), 1) AS percent
FROM file('dataset/results/*/*/*/*.parquet', Parquet) AS used
JOIN (
  SELECT service, date, sum(period) AS all FROM file('dataset/results/*/*/*/*.parquet', Parquet)
  WHERE event LIKE 'cpu-clock%' GROUP BY service, date) AS days USING (service, date)
WHERE event LIKE 'cpu-clock%'
GROUP BY service, date, function, dso
ORDER BY service, date, sum(period) DESC, function, dso
LIMIT 5 BY service, date;
