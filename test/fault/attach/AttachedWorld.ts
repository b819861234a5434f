/** A world with a NetBox attached: its source, a webhook of all types of it, and the events that the service made. */
import { join } from "node:path"
import type { CommittedTransaction } from "../../source/Expectation.ts"
import { NetBoxWriter } from "../../source/NetBoxWriter.ts"
import { type Release, modelsOf } from "../../source/NetBoxModels.ts"
import { type Made, type Reply, request } from "../../support/Client.ts"
import { eventually } from "../../support/Eventually.ts"
import type { DeliveryOracle } from "../DeliveryOracle.ts"
import { token } from "../Template.ts"
import type { Site, World } from "../World.ts"
import { NetBoxLoad } from "./NetBoxLoad.ts"
import { NetBoxServer } from "./NetBoxServer.ts"
import type { SourceEvent } from "./SourceOracle.ts"

/** Time for a request, and for a source to be read, while faults happen, milliseconds. */
const answerMillis = 60_000

const slot = "rackwire"

interface Parts {
  readonly world: World
  readonly server: NetBoxServer
  readonly receiver: DeliveryOracle
  readonly source: number
  readonly webhook: number
}

export class AttachedWorld {
  readonly world: World
  readonly server: NetBoxServer
  readonly receiver: DeliveryOracle
  readonly source: number
  readonly webhook: number
  readonly writer: NetBoxWriter
  readonly load: NetBoxLoad
  /** Numbers of the transactions whose rows may have been read from the table: ranges, both ends included. */
  readonly folded: Array<{ readonly from: number; to: number }> = []
  /** The same of transactions that a restored copy lacks. */
  readonly lost: Array<{ readonly from: number; readonly to: number }> = []
  /** Whether retention deleted rows. */
  isRetired = false
  private lane: Promise<unknown> = Promise.resolve()

  private constructor({ world, server, receiver, source, webhook }: Parts) {
    this.world = world
    this.server = server
    this.receiver = receiver
    this.source = source
    this.webhook = webhook
    this.writer = new NetBoxWriter(server.netbox)
    this.load = new NetBoxLoad(this.writer, world.random.fork("load"))
  }

  static async attach(world: World, receiver: DeliveryOracle, release: Release): Promise<AttachedWorld> {
    const server = await NetBoxServer.start(join(world.directory, "netbox"), release, world.random.fork("netbox"))
    const make = async (path: string, row: object): Promise<number> => {
      const { status, json, text } = await request<Made>(world.services[0]!.url, token, "POST", path, row)
      if (status !== 201) throw new Error(`${path}: ${text}`)
      return json.id
    }
    const source = await make("/api/extras/sources/", { name: "netbox", database_url: server.databaseUrl, slot })
    await eventually("the source is read", async () => (await statusOf(world, source)) === "reading", {
      millis: answerMillis
    })
    const webhook = await make("/api/extras/webhooks/", {
      ...{ name: "all", source, content_types: Object.keys(modelsOf(release)) },
      ...{ type_create: true, type_update: true, type_delete: true },
      ...{ payload_url: `${receiver.url}/all`, retry_schedule: { kind: "fixed", delay: 1, attempts: 100 } }
    })
    return new AttachedWorld({ world, server, receiver, source, webhook })
  }

  get committed(): ReadonlyArray<CommittedTransaction> {
    return this.writer.committed
  }

  /** Changes the source, until the service accepts it; waits until it is read where it should be. */
  async change(fields: { readonly enabled?: boolean; readonly mode?: "stream" | "poll" }): Promise<void> {
    const { services } = this.world
    const path = `/api/extras/sources/${this.source}/`
    for (let turn = 0, isDone = false; !isDone; turn++) {
      const { url } = services[turn % services.length]!
      const patched = request(url, token, "PATCH", path, fields).catch((): Reply<unknown> | undefined => undefined)
      isDone = (await patched)?.status === 200
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, 200))
    }
    if (fields.enabled === false) return
    const isRead = async () => (await statusOf(this.world, this.source)) === "reading"
    await eventually("the source is read", isRead, { millis: answerMillis, everyMillis: 100 })
  }

  /** Runs work that changes how the source is read, one after another. From now on rows may be read from the table. */
  foldingWhile(work: () => Promise<void>): Promise<void> {
    const done = this.lane.then(async () => {
      const from = await this.firstUnread()
      this.folded.push({ from, to: Number.POSITIVE_INFINITY })
      await work()
    })
    this.lane = done.catch(() => undefined)
    return done
  }

  /** Everything is read: later transactions are not read from the table. */
  endFolding(): void {
    for (const range of this.folded) range.to = Math.min(range.to, this.committed.length - 1)
  }

  mayBeFolded(transaction: number): boolean {
    return this.folded.some(({ from, to }) => from <= transaction && transaction <= to)
  }

  isLost(transaction: number): boolean {
    return this.lost.some(({ from, to }) => from <= transaction && transaction <= to)
  }

  /** Copies the server, and returns a function that puts the copy in its place. */
  backUp(): Promise<(isNewTimeline: boolean) => Promise<void>> {
    const { load, server, writer, lost } = this
    return load.whilePaused(async () => {
      await server.backUp()
      const [from, rows, trees] = [this.committed.length, writer.copy(), load.copy()]
      return (isNewTimeline) =>
        load.whilePaused(async () => {
          await server.restore(isNewTimeline)
          await writer.restore(rows)
          load.restore(trees)
          lost.push({ from, to: this.committed.length - 1 })
        })
    })
  }

  /** Whether events were made of transactions that a copy lacks, for each restored copy. */
  async sentOfLost(): Promise<ReadonlyArray<boolean>> {
    const logged = new Set((await this.events()).map(({ requestId }) => requestId))
    return this.lost.map(({ from, to }) =>
      this.committed.slice(from, to + 1).some(({ events }) => events.some(({ requestId }) => logged.has(requestId)))
    )
  }

  /** Ids of rows of which there are events, or which are a part of them; without rows that a restored copy lacks. */
  async readChanges(): Promise<ReadonlySet<number>> {
    const logged = new Set((await this.events()).map(keyOf))
    const read = this.committed
      .filter((_, transaction) => !this.isLost(transaction))
      .flatMap(({ events }) => events)
      .filter(({ requestId, changeIds }) => logged.has(keyOf({ requestId, change: changeIds.at(-1)! })))
    return new Set(read.flatMap(({ changeIds }) => changeIds))
  }

  /** The process that reads the source; undefined if it is no more. */
  async reader(): Promise<Site | undefined> {
    const rows = await this.world.sql
      .query<{ readonly holder: string }>("select holder from rackwire_source")
      .catch(() => [])
    return this.world.sites.find(({ service }) => rows[0]?.holder.endsWith(` ${service.pid}`))
  }

  /** The events of the source in the change log, in their order. */
  async events(): Promise<ReadonlyArray<SourceEvent>> {
    const rows = await this.world.sql.query<{ readonly event: SourceEvent }>(
      `select json_build_object('kind', action || 'd', 'type', split_part(changed_object_type, ':', 2), 'objectId', changed_object_id,
                'before', prechange_data, 'after', postchange_data, 'user', user_name, 'requestId', request_id,
                'change', (source ->> 'change')::bigint, 'id', position || '-' || idx) as event
         from extras_objectchange where changed_object_type like $1 order by position, idx`,
      [`${this.source}:%`]
    )
    return rows.map(({ event }) => event)
  }

  async stop(): Promise<void> {
    await this.writer.close()
    await this.server.stop()
  }

  /** The number of the first transaction of which an event is missing. */
  private async firstUnread(): Promise<number> {
    const read = await this.readChanges()
    const at = this.committed.findIndex(
      ({ events }, transaction) =>
        !this.isLost(transaction) && events.some(({ changeIds }) => !read.has(changeIds.at(-1)!))
    )
    return at === -1 ? this.committed.length : at
  }
}

/** A restored database uses ids again. */
const keyOf = ({ requestId, change }: Pick<SourceEvent, "requestId" | "change">): string => `${requestId} ${change}`

const statusOf = async ({ sql }: World, source: number): Promise<string | undefined> => {
  const rows = await sql
    .query<{ readonly status: string }>("select status from extras_source where id = $1::text::bigint", [`${source}`])
    .catch(() => [])
  return rows[0]?.status
}
