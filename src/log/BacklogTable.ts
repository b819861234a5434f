import type { Table } from "../postgres/migrate/Table.ts"

/** A webhook's backlog in Redis as the sweeper saw it last; no row if there is none. */
export const backlogTable: Table = {
  name: "rackwire_backlog",
  daily: false,
  unlogged: true,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "queued", type: "bigint", nullable: false },
    { name: "pending", type: "bigint", nullable: false },
    { name: "waiting", type: "bigint", nullable: false },
    // The position of the first entry of the queue; 0 if it is empty.
    { name: "head_position", type: "bigint", nullable: false, default: "0" },
    { name: "head_idx", type: "bigint", nullable: false, default: "0" },
    { name: "looked", type: "timestamp with time zone", nullable: false }
  ],
  constraints: [{ name: "rackwire_backlog_key", sql: "unique (webhook_id)" }],
  indexes: [],
  triggers: [],
  published: false
}
