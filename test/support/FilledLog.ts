/** A long delivery log, made in the database: days of deliveries of many webhooks, few of which failed. */
import type { Sql } from "./Sql.ts"

interface Filling {
  readonly deliveries: number
  readonly webhooks: number
  /** Days that they are spread over, up to now. */
  readonly days: number
  /** The newest of them get an attempt each. */
  readonly attempts: number
}

/** Hosts that the webhooks post to. */
const hosts = 60

export const fillLog = async (sql: Sql, { deliveries, webhooks, days, attempts }: Filling): Promise<void> => {
  await sql.query("select setseed(0.17)::text")
  await sql.query(
    `insert into extras_webhook (content_types, name, type_create, type_update, type_delete, payload_url)
     select array['dcim.device'], 'webhook ' || n, true, true, true,
            'https://host-' || n % ${hosts} || '.example.com/hooks/' || n
       from generate_series(1, $1::int) n on conflict (name) do nothing`,
    [webhooks]
  )
  const perDay = Math.ceil(deliveries / days)
  for (let ago = days - 1; ago >= 0; ago--) await fillDay(sql, "extras_delivery", ago, deliveryRows(perDay, webhooks))
  await fillDay(sql, "rackwire_attempt", 0, attemptRows(attempts))
  await sql.query(onlyAttempts(attempts))
  for (const table of ["extras_delivery", "rackwire_attempt"]) await sql.query(`vacuum analyze ${table}`)
}

/** Fills a day before it becomes a partition: its indexes are made afterwards, at once. */
const fillDay = async (sql: Sql, table: string, ago: number, rows: string): Promise<void> => {
  const [day] = await sql.query<{ readonly child: string; readonly begin: string; readonly end: string }>(
    `select $1 || to_char(d, '"_"YYYYMMDD') as child, d || ' 00:00+00' as begin, d + 1 || ' 00:00+00' as end
       from (select (now() at time zone 'UTC')::date - $2::int as d) d`,
    [table, ago]
  )
  const { child, begin, end } = day!
  await sql.query(`drop table if exists ${child}`)
  await sql.query(`create table ${child} (like ${table} including defaults including constraints)`)
  await sql.query(rows.replaceAll(":child", child).replaceAll(":day", `'${begin}'::timestamptz`))
  await sql.query(`alter table ${table} attach partition ${child} for values from ('${begin}') to ('${end}')`)
}

/**
 * Some webhooks have most deliveries; those of a day are in the order of their time, as deliver writes them. Today has as
 * many as every day, up to now.
 */
const deliveryRows = (count: number, webhooks: number): string => `
  insert into :child (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time, position, idx,
                      attempts, first_attempt, last_attempt, next_attempt, response_status, reason, message)
  select to_char(time, 'DDD') || '-' || n || '-0', 1 + floor(${webhooks} * power(random(), 3))::bigint, status,
         (array['updated', 'updated', 'updated', 'created', 'deleted'])[1 + n % 5],
         (array['dcim.device', 'dcim.device', 'dcim.interface', 'ipam.ipaddress', 'ipam.prefix', 'dcim.site'])[1 + n % 6],
         1 + n % 5000, gen_random_uuid(), time, n, 0,
         case status when 'successful' then 1 when 'queued' then 0 else 1 + n % 8 end, time, time + interval '1 second',
         case status when 'retrying' then time + interval '1 day' end,
         case when status = 'successful' then 200 when cause = 'Status' then (array[500, 503, 429])[1 + n % 3] end,
         case when status in ('successful', 'queued') then '' else cause end,
         case when status in ('successful', 'queued') then '' else 'The receiver did not accept it: ' || cause || '.' end
    from (
      select n, :day + n * least(interval '1 day', now() - :day) / ${count} as time,
             case when r < 0.965 then 'successful' when r < 0.985 then 'failed' when r < 0.99 then 'retrying'
                  when r < 0.992 then 'queued' else 'discarded' end as status,
             (array['Status', 'Status', 'Timeout', 'Refused', 'Tls', 'Dns'])[1 + floor(6 * random())::int] as cause
        from (select n, random() as r from generate_series(0, ${count - 1}) n) drawn) rows`

const answer = `'answer ' || d.id || repeat(' of the receiver', 20)`

/** So many of the newest deliveries since a day began. */
const newest = (count: number, day: string): string =>
  `(select * from extras_delivery d where d.time >= ${day} order by d.time desc limit ${count})`

const attemptRows = (count: number): string => `
  insert into :child (time, delivery_id, number, started, duration_ms, phases, url, request_headers, response_status,
                      response_headers, response_body, reason, message)
  select d.time, d.delivery_id, greatest(d.attempts, 1), d.time, 20 + d.id % 400, '{"connect": 3}',
         'https://host.example.com/hooks', 'content-type: application/json', d.response_status, 'server: test',
         ${answer}, d.reason, d.message
    from ${newest(count, ":day")} d where d.status <> 'successful'`

/** Attempts of the deliveries that succeeded at once. */
const onlyAttempts = (count: number): string => `
  update extras_delivery t set only_attempt = json_build_object('started', d.time, 'response_status', 200,
         'duration_ms', 20 + d.id % 400, 'phases',
         '{"connect": 3}'::json, 'url', 'https://host.example.com/hooks', 'request_headers',
         'content-type: application/json', 'response_headers', 'server: test', 'response_body', ${answer})
    from ${newest(count, "(now() at time zone 'UTC')::date at time zone 'UTC'")} d
   where t.id = d.id and t.time = d.time and d.status = 'successful'`
