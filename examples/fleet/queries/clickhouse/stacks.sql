-- Samples by stack, of a filter: here a service and a process. Writes stacks.json for to_pprof.py.
WITH chosen AS (
  SELECT recording, stack, process, count() AS samples, sum(period) AS period
  FROM file('dataset/samples/*/*/*/*.parquet', Parquet)
  WHERE service = 'front' AND process = 'spin' AND event LIKE 'cpu-clock%'
  GROUP BY recording, stack, process),
sites AS (
  SELECT recording, stack, place, frame
  FROM file('dataset/stacks/*/*/*/*.parquet', Parquet)
  ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place
  WHERE service = 'front'),
names AS (
  SELECT recording, frame, function, dso, file, line
  FROM file('dataset/frames/*/*/*/*.parquet', Parquet) WHERE service = 'front'),
paths AS (
  SELECT recording, stack, arrayMap(
           site -> CAST((site.2, site.3, site.4, site.5),
                        'Tuple(function Nullable(String), dso Nullable(String), file Nullable(String), line Nullable(UInt64))'),
           arraySort(site -> site.1, groupArray((place, function, dso, file, line)))) AS frames
  FROM sites JOIN names USING (recording, frame) GROUP BY recording, stack)
SELECT process, frames, sum(samples) AS samples, sum(period) AS period
FROM chosen JOIN paths USING (recording, stack)
GROUP BY process, frames ORDER BY process, toString(frames)
INTO OUTFILE 'stacks.json' TRUNCATE FORMAT JSONEachRow
SETTINGS output_format_json_quote_64bit_integers = 0;
