-- Samples by stack, of a filter: here a service and a process. Writes stacks.json for to_pprof.py.
COPY (
  WITH chosen AS (
    SELECT recording, stack, process, count(*) AS samples, sum(period) AS period
    FROM read_parquet('dataset/samples/*/*/*/*.parquet', hive_partitioning = true)
    WHERE service = 'front' AND process = 'spin' AND event LIKE 'cpu-clock%'
    GROUP BY ALL),
  sites AS (
    SELECT recording, stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place
    FROM read_parquet('dataset/stacks/*/*/*/*.parquet', hive_partitioning = true)
    WHERE service = 'front'),
  paths AS (
    SELECT recording, stack, list({function: function, dso: dso, file: file, line: line} ORDER BY place) AS frames
    FROM sites JOIN read_parquet('dataset/frames/*/*/*/*.parquet', hive_partitioning = true) USING (recording, frame)
    WHERE service = 'front'
    GROUP BY ALL)
  SELECT process, frames, sum(samples) AS samples, sum(period) AS period
  FROM chosen JOIN paths USING (recording, stack) GROUP BY ALL ORDER BY ALL
) TO 'stacks.json' (FORMAT json);
