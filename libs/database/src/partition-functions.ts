/**
 * Functions that create and drop the daily partitions of a table, for roles that do not own it: a service may manage
 * its partitions and change nothing else in the schema. They run as their owner, the role that migrates; a migration
 * creates them.
 *
 * - `<table>_make_day(date)` creates the partition of a day;
 * - `<table>_drop_day(date)` drops it once the day is over;
 * - `<table>_forget_default(before timestamptz, at_most integer)` deletes rows of past days from the default partition,
 * and returns how many.
 * @param table schema-qualified, from code, never from input
 * @param timeColumn the column that it is partitioned by
 */
export function partitionFunctions(table: string, timeColumn: string): string[] {
  // Only the catalog resolves names that a caller's search path could resolve differently. A backup locks every table
  // until it is finished: while a statement waits longer for that lock, all writes wait behind it.
  const asOwner = "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'";
  const signatures = partitionSignatures(table);
  return [
    `CREATE FUNCTION ${table}_make_day(day date) RETURNS void ${asOwner} AS $$
     BEGIN
       EXECUTE format('CREATE TABLE IF NOT EXISTS ${table}_%s PARTITION OF ${table} FOR VALUES FROM (%L) TO (%L)',
         to_char(day, 'YYYYMMDD'), to_char(day, 'YYYY-MM-DD"T00:00:00Z"'), to_char(day + 1, 'YYYY-MM-DD"T00:00:00Z"'));
     END $$`,
    `CREATE FUNCTION ${table}_drop_day(day date) RETURNS void ${asOwner} AS $$
     BEGIN
       IF day >= (now() AT TIME ZONE 'UTC')::date THEN
         RAISE EXCEPTION 'the day % is not over, and its partition stays', day;
       END IF;
       EXECUTE format('DROP TABLE IF EXISTS ${table}_%s', to_char(day, 'YYYYMMDD'));
     END $$`,
    `CREATE FUNCTION ${table}_forget_default(before timestamptz, at_most integer) RETURNS integer ${asOwner} AS $$
     DECLARE deleted integer;
     BEGIN
       IF before > now() THEN
         RAISE EXCEPTION '% is not over, and its rows stay', before;
       END IF;
       DELETE FROM ${table}_default WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ${table}_default WHERE ${timeColumn} < before LIMIT at_most FOR UPDATE SKIP LOCKED));
       GET DIAGNOSTICS deleted = ROW_COUNT;
       RETURN deleted;
     END $$`,
    ...signatures.map((signature) => `REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`),
  ];
}

/** The grants of a role that manages the partitions of a table. */
export function partitionSignatures(table: string): string[] {
  return [`${table}_make_day(date)`, `${table}_drop_day(date)`, `${table}_forget_default(timestamptz, integer)`];
}
