/** The statements to run where Postgres refuses replication. */

/** How to allow what Postgres has refused, by SQLSTATE; undefined if that is not known. */
export const adviceFor = (sqlState: string | undefined, user: string): string | undefined => {
  if (sqlState === "42501") {
    return `run  alter role "${user}" replication;  as a superuser (on RDS: grant rds_replication to "${user}";)`
  }
  if (sqlState === "28000")
    return `allow "${user}" to connect to this database in pg_hba.conf, then run  select pg_reload_conf();`
  if (sqlState === "53300") {
    return "run  alter system set max_wal_senders = 20;  and restart Postgres, or raise the limit of connections that it names"
  }
  return sqlState === "53400" ? slotsAdvice : undefined
}

const slotsAdvice =
  "run  alter system set max_replication_slots = 20;  and restart Postgres, or drop a slot that nobody uses:  select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '…';"

/** Why no slot for logical replication can be created; undefined if it can. */
export const walLevelProblem = (walLevel: string): string | undefined =>
  walLevel === "logical"
    ? undefined
    : `wal_level is ${walLevel}: run  alter system set wal_level = 'logical';  and restart Postgres`
