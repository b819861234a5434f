/**
 * `data.config_context` of templates: the config context of the device or virtual machine as of the change. It is no part
 * of events, whose default body stays NetBox's, and is read only for templates that name it.
 *
 * The object's own values and its local context are those of the event, and the contexts are as of its commit, by the
 * change log: an attempt that is repeated, and a request that is shown or sent again, have the same value as long as the
 * log has the event. How regions, site groups, clusters and tenants belong together is read as it is then. Contexts that
 * were changed a moment ago are read again until the change log has the changes, for ten seconds; a deletion leaves nothing
 * to wait for, and counts from its commit until it is logged.
 */
import { Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { DeliveryWithBody } from "../changelog/EventBodies.ts"
import { type Delivery, templateContext } from "../event/Delivery.ts"
import { paused } from "../eventloop/Pace.ts"
import { mapInSlices } from "../eventloop/Slices.ts"
import { pastSql } from "../inventory/context/Applied.ts"
import { mergedData } from "../inventory/context/Merge.ts"
import { type Dictionary, isDictionary } from "../inventory/Field.ts"
import { parseExactly } from "../postgres/ExactJson.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { placeOf } from "./JsonText.ts"

const name = "config_context"

const roles: Readonly<Record<string, string>> = {
  "dcim.device": "device_role",
  "virtualization.virtualmachine": "role"
}

/** Longest event of which the machine is read, characters; the templates of a longer one get null. */
const bodyCharsMax = 1024 * 1024

/** Pause between two reads while the change log lacks the change of a context. */
const unloggedPause = "20 millis"

/** A row of `pastSql`. */
interface Past {
  readonly key: number
  readonly data: ReadonlyArray<unknown> | null
  readonly isUnlogged: boolean
}

/** The deliveries with the config contexts of their machines, where one of the texts of templates names them. */
export const withConfigContexts = Effect.fnUntraced(function* (
  texts: ReadonlyArray<string>,
  deliveries: ReadonlyArray<DeliveryWithBody>
) {
  const isAbout = ({ objectType }: Delivery) => Object.hasOwn(roles, objectType)
  if (!texts.some((text) => text.includes(name)) || !deliveries.some(isAbout)) return deliveries
  const sql = yield* SqlClient.SqlClient
  const machines = yield* mapInSlices(deliveries, (each, key) => (isAbout(each) ? machineOf(each, key) : undefined))
  const known = machines.filter((each) => each !== undefined)
  const parameters = [JSON.stringify(known.map(({ values }) => values))]
  const read = sql.unsafe<Past>(pastSql, parameters)
  const found = yield* Effect.repeat(read, {
    while: (rows) => rows.some(({ isUnlogged }) => isUnlogged),
    schedule: Schedule.spaced(unloggedPause)
  })
  const locals = new Map(known.map(({ values, local }) => [values.key, local]))
  const merged = yield* mapInSlices(found, ({ key, data }) => {
    const all = data === null ? null : mergedData([...data, locals.get(key)].filter(isDictionary))
    return [key, JSON.stringify(all)] as const
  })
  const contexts = new Map(merged)
  return deliveries.map((each, key) => (isAbout(each) ? { ...each, configContext: contexts.get(key) ?? "null" } : each))
})

/** The values of the machine that contexts compare, and its local context; undefined where the event is too long. */
const machineOf = ({ body, objectType, position, time }: DeliveryWithBody, key: number) => {
  if (body.length > bodyCharsMax) return undefined
  const place = placeOf(body, "data")
  const data = place === undefined ? undefined : parseExactly(body.slice(...place))
  if (!isDictionary(data)) return undefined
  const idOf = (field: string) => idIn(data[field])
  const local = data["local_context_data"]
  const values = {
    ...{
      key,
      position,
      time,
      site_id: idOf("site"),
      location_id: idOf("location"),
      device_type_id: idOf("device_type")
    },
    ...{ role_id: idOf(roles[objectType]!), platform_id: idOf("platform"), cluster_id: idOf("cluster") },
    ...{ tenant_id: idOf("tenant"), tags: tagsIn(data), bytes: isDictionary(local) ? JSON.stringify(local).length : 0 }
  }
  return { values, local }
}

const idIn = (nested: unknown): number | null =>
  isDictionary(nested) && typeof nested["id"] === "number" ? nested["id"] : null

const tagsIn = ({ tags }: Dictionary): ReadonlyArray<number> =>
  Array.isArray(tags) ? tags.map(idIn).filter((id) => id !== null) : []

/** The context of templates for one delivery, as JSON text: `config_context` is the last value of `data`. */
export const templateContextOf = (
  delivery: Parameters<typeof templateContext>[0] & Pick<DeliveryWithBody, "configContext">
) => {
  const { body, configContext } = delivery
  const place = configContext === undefined ? undefined : placeOf(body, "data")
  if (place === undefined || body[place[1] - 1] !== "}") return templateContext(delivery)
  const end = place[1] - 1
  const whole = `${body.slice(0, end)},${JSON.stringify(name)}:${configContext}${body.slice(end)}`
  return templateContext({ ...delivery, body: whole })
}

/** Tries until Postgres answers. */
export const untilAnswered = <A, R>(read: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<A, never, R> =>
  Effect.catch(read, (error) =>
    Effect.logWarning(`deliver: config contexts cannot be read, trying again: ${inWords(error)}`).pipe(
      Effect.andThen(paused(({ deliver }) => deliver.retryMillis)),
      Effect.andThen(Effect.suspend(() => untilAnswered(read)))
    )
  )
