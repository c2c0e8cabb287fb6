-- The jobs of one cell (a … h) of Google's cluster trace of May 2019, one row a job, for the reader
-- `borg`. Run it in BigQuery and export the answer as CSV or as JSON lines, with gzip or without:
--
--   bq query --use_legacy_sql=false --destination_table=DATASET.jobs < config/examples/borg.sql
--   bq extract --compression=GZIP DATASET.jobs gs://BUCKET/borg.csv.gz
--
-- cpus: of all instances of the job together, each with the largest request that it made, in units
--       of the largest machine of the trace (the figures take the smallest request as their unit).
-- start_time, end_time: microseconds of the first time that the job was scheduled and the last that it
--       ended, whatever the reason; a time of 0 is before the trace, 2^63 - 1 after it.
-- submit_time: when it was submitted, which only figures of waiting times ask for.
-- Events: 0 submitted, 3 scheduled; 4 evicted, 5 failed, 6 finished, 7 killed, 8 lost. Collections of type 1 are
-- alloc sets, which reserve resources for jobs and are none themselves. BigQuery does not promise to
-- extract rows in the order of the table: replayed jobs are taken as they stand in the file.
WITH
  requests AS (
    SELECT collection_id, instance_index, MAX(resource_request.cpus) AS cpus
    FROM `google.com:google-cluster-data.clusterdata_2019_a.instance_events`
    WHERE collection_type = 0
    GROUP BY collection_id, instance_index
  ),
  needs AS (
    SELECT collection_id, SUM(cpus) AS cpus
    FROM requests
    GROUP BY collection_id
  ),
  runs AS (
    SELECT
      collection_id,
      MAX(priority) AS priority,
      MIN(IF(type = 0, time, NULL)) AS submit_time,
      MIN(IF(type = 3, time, NULL)) AS start_time,
      -- A job that is scheduled again after its last end has not ended.
      IF(
        MAX(IF(type = 3, time, 0)) > MAX(IF(type BETWEEN 4 AND 8, time, 0)),
        NULL,
        MAX(IF(type BETWEEN 4 AND 8, time, NULL))
      ) AS end_time
    FROM `google.com:google-cluster-data.clusterdata_2019_a.collection_events`
    WHERE collection_type = 0
    GROUP BY collection_id
  )
SELECT collection_id, priority, cpus, start_time, end_time, submit_time
FROM runs JOIN needs USING (collection_id)
ORDER BY start_time, collection_id
