/** The log that people write beside a queue: a row for the delivery and one for its attempt, in one statement. */
import pg from "pg"

const tables = `
  create table if not exists delivery (
    id text primary key, status text not null, time timestamptz not null default now(), attempts int not null,
    response_status int);
  create index if not exists delivery_time on delivery (time);
  create table if not exists attempt (
    delivery_id text not null, number int not null, started timestamptz not null, duration_ms int not null,
    url text not null, request_headers text not null, response_status int, response_headers text not null,
    response_body text not null, primary key (delivery_id, number));`

const write = {
  name: "write",
  text: `with d as (
    insert into delivery (id, status, attempts, response_status) values ($1, $2, $3, $4)
    on conflict (id) do update set status = excluded.status, attempts = excluded.attempts,
      response_status = excluded.response_status)
  insert into attempt values ($1, $3, to_timestamp($5::float8 / 1000), $6, $7, $8, $4, $9, $10)
  on conflict do nothing`
}

/** Returns what logs one attempt. Ids begin anew with each start, so the tables are emptied. */
export const logTo = async (connectionString, connections) => {
  const pool = new pg.Pool({ connectionString, max: Math.min(connections, 10) })
  await pool.query(tables)
  await pool.query("truncate delivery, attempt")
  return ({ id, attempt, status, url, headers, answered, response, started, millis }) =>
    pool.query({
      ...write,
      values: [
        ...[id, status < 300 ? "successful" : "retrying", attempt, status, started, millis, url],
        ...[JSON.stringify(headers), JSON.stringify(answered), response]
      ]
    })
}
