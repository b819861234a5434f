/** A service with a NetBox attached, and the comparison of what NetBox has committed with the events that there are. */
import { expect } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { servers } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import type { Json } from "../support/Client.ts"
import type { CommittedTransaction, ExpectedEvent } from "./Expectation.ts"
import { type NetBoxDatabase, makeNetBox } from "./NetBoxDatabase.ts"
import type { Release } from "./NetBoxModels.ts"
import { NetBoxWriter } from "./NetBoxWriter.ts"

export interface Attached {
  readonly api: Api
  readonly netbox: NetBoxDatabase
  readonly writer: NetBoxWriter
  readonly source: number
  readonly stop: () => Promise<void>
}

/** Adds a NetBox as a source; returns its id when it is read. */
export const addSource = async (api: Api, netbox: NetBoxDatabase, fields: Json = {}): Promise<number> => {
  const source = await api.make("extras/sources", {
    ...{ name: netbox.name, database_url: netbox.databaseUrl, slot: netbox.name },
    ...fields
  })
  await reading(api, source)
  return source
}

/** Removes a source; waits until the service has dropped its slot, and keeps nothing of it. */
export const removeSource = async (api: Api, source: number) => {
  expect((await api.call("DELETE", `/api/extras/sources/${source}/`)).status).toBe(204)
  await eventually("nothing is kept of the source", async () => {
    const kept = "select 1 from rackwire_source where source_id = $1::bigint"
    return (await api.database.sql.query(kept, [source])).length === 0
  })
}

/** Drops the slot of a source that is disabled or deleted, once it is no longer read. */
export const dropSlot = ({ netbox }: Pick<Attached, "netbox">) =>
  eventually("the slot is dropped", async () => {
    const rows = await netbox.sql.query(
      "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = $1 and not active",
      [netbox.name]
    )
    return rows.length > 0
  })

/** Waits until the source is read. */
export const reading = (api: Api, source: number) =>
  eventually("the source is read", async () => {
    const { json } = await api.call<Json>("GET", `/api/extras/sources/${source}/`)
    return json["status"] === "reading"
  })

interface AttachOptions {
  /** A service that reads other sources too and runs on afterwards; else one that is started and stopped for this source. */
  readonly sharedApi?: Api
  /** A role of the server of NetBox that may create databases. */
  readonly serverUrl?: string
  /** Writes changes that are of no concern, since they are from before the source is attached. */
  readonly before?: (writer: NetBoxWriter) => Promise<unknown>
}

export const attach = async (
  release: Release,
  fields: Json = {},
  { sharedApi, serverUrl = servers.superuserUrl, before = async () => {} }: AttachOptions = {}
): Promise<Attached> => {
  const api = sharedApi ?? (await startApi())
  const netbox = await makeNetBox(release, serverUrl)
  const writer = new NetBoxWriter(netbox)
  await before(writer)
  writer.committed.length = 0
  const source = await addSource(api, netbox, fields)
  return {
    ...{ api, netbox, writer, source },
    stop: async () => {
      if (sharedApi === undefined) await api.stop()
      else await removeSource(api, source)
      await writer.close()
      await netbox.drop()
    }
  }
}

/** Enables or disables the source; waits until it is read. */
export const enable = async ({ api, source }: Attached, enabled: boolean) => {
  await api.call("PATCH", `/api/extras/sources/${source}/`, { enabled })
  if (enabled) await reading(api, source)
}

/** The reasons of the gaps that were noted for the source. */
export const gapsOf = async ({ api, source, netbox }: Attached) => {
  const rows = await api.database.sql.query<{ readonly reason: string }>(
    `select reason from rackwire_gap
      where cause = 'source' and (starts_with(object_types[1], $1) or starts_with(reason, $2))`,
    [`${source}:`, `source ${netbox.name}: `]
  )
  return rows.map(({ reason }) => reason)
}

/** An event as both sides have it. */
type ComparedEvent = Omit<ExpectedEvent, "changeIds"> & { readonly change: number }

interface LoggedRow {
  readonly event: ComparedEvent
}

/** The events of the source in the change log, in their order. */
export const eventsOf = async ({
  api,
  source
}: Pick<Attached, "api" | "source">): Promise<ReadonlyArray<ComparedEvent>> => {
  const rows = await api.database.sql.query<LoggedRow>(
    `select json_build_object('kind', action || 'd', 'type', split_part(changed_object_type, ':', 2), 'objectId', changed_object_id,
              'before', prechange_data, 'after', postchange_data, 'user', user_name, 'requestId', request_id,
              'change', (source ->> 'change')::bigint) as event
       from extras_objectchange where changed_object_type like $1 order by position, idx`,
    [`${source}:%`]
  )
  return rows.map(({ event }) => event)
}

export const expectedOf = (committed: ReadonlyArray<CommittedTransaction>): ReadonlyArray<ComparedEvent> =>
  committed.flatMap(({ events }) => events.map(({ changeIds, ...event }) => ({ ...event, change: changeIds.at(-1)! })))

/** Waits until there are as many events as NetBox owes, and compares them. */
export const expectEvents = async (attached: Attached, order: "commits" | "objects" = "commits"): Promise<void> => {
  const expected = expectedOf(attached.writer.committed)
  await eventually("all events are there", async () => (await eventsOf(attached)).length >= expected.length)
  const events = await eventsOf(attached)
  if (order === "commits") return expect(events).toEqual(expected)
  const byObject = (all: ReadonlyArray<ComparedEvent>) =>
    Map.groupBy(all, ({ type, objectId }) => `${type} ${objectId}`)
  expect(byObject(events)).toEqual(byObject(expected))
}
