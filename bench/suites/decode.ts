/**
 * Rows per second from pgoutput messages in memory: what the decoder costs without a server.
 *
 * The peer makes an object of every row. Rackwire reads a row only when it is needed, so it is measured both ways.
 */
import { Pgoutput } from "../../src/capture/wal/Pgoutput.ts"
import { parseLsn } from "../../src/event/Lsn.ts"
import { TransactionWindows } from "../../src/capture/fold/TransactionWindows.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { installPeers } from "../Peers.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import type { Suite } from "../Suite.ts"

const sites = 10_000
const rows = 100_000
const slot = "bench_decode"

/** The messages of updates of realistic width, as they came. */
const record = async ({ sql, databaseUrl }: Rackwire): Promise<ReadonlyArray<Buffer>> => {
  await sql.query(`
    insert into dcim_site (name, slug, facility, physical_address, shipping_address, comments, latitude, longitude)
    select 'Site ' || n, 'site-' || n, 'F' || n, n || ' Long Street, Amsterdam', n || ' Short Street, Berlin',
           'installed by a contractor in the spring', 52.370216, 4.895168 from generate_series(1, ${sites}) n`)
  await sql.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')::text`)
  for (let done = 0; done < rows; done += sites) await sql.query(`update dcim_site set description = 'bulk ${done}'`)
  const [found] = await sql.query<{ readonly lsn: string }>("select pg_current_wal_insert_lsn()::text as lsn")
  const end = parseLsn(found!.lsn)
  await sql.query("select pg_logical_emit_message(true, 'bench', 'end')::text")
  const walsender = await Walsender.connect(addressOf(databaseUrl))
  const messages: Array<Buffer> = []
  await new Promise<void>((resolve, reject) => {
    const tracker = new TransactionWindows("bench", ({ endLsn }) => endLsn !== undefined && endLsn > end && resolve())
    const decoder = new Pgoutput(tracker)
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names 'rackwire', messages 'true')`
    walsender
      .stream(command, {
        onData: (bytes, from, to) => {
          messages.push(Buffer.from(bytes.subarray(from, to)))
          decoder.decode(bytes, from, to)
        },
        onKeepalive: () => walsender.sendStatus(0n, 0n),
        onChunkEnd: () => {},
        onEnd: reject
      })
      .catch(reject)
  })
  walsender.close()
  return messages
}

interface Peer {
  readonly PgoutputPlugin: new (options: object) => {
    readonly parse: (message: Buffer) => { readonly tag: string }
  }
}

const perSecond = (count: number, began: number) => {
  if (count !== rows) throw new Error(`${count} rows instead of ${rows}`)
  return { rows: rows / ((performance.now() - began) / 1000) }
}

export default async (): Promise<Suite> => {
  installPeers()
  const rackwire = await startRackwire()
  const messages = await record(rackwire)
  await rackwire.close()
  const { PgoutputPlugin } = (await import(
    new URL("../peers/node_modules/pg-logical-replication/dist/index.js", import.meta.url).href
  )) as Peer
  const ours = (read: boolean) => async () => {
    const began = performance.now()
    let count = 0
    const tracker = new TransactionWindows("bench", ({ changes }) => {
      for (const { before, after } of changes) {
        if (read) before?.row()
        if (read) after?.row()
        count += 1
      }
    })
    const decoder = new Pgoutput(tracker)
    for (const message of messages) decoder.decode(message, 0, message.length)
    return perSecond(count, began)
  }
  return {
    title: `${rows.toLocaleString("en")} updates of rows of ${Math.round(messages.reduce((sum, { length }) => sum + length, 0) / rows)} bytes, decoded from memory`,
    figures: [{ name: "rows", unit: "per second", more: true }],
    rounds: 7,
    contenders: [
      {
        name: "pg-logical-replication's parser",
        role: "peer",
        turn: async () => {
          const began = performance.now()
          const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: ["rackwire"], messages: true })
          let count = 0
          for (const message of messages) if (plugin.parse(message).tag === "update") count += 1
          return perSecond(count, began)
        }
      },
      { name: "rackwire, decode and fold", role: "ours", turn: ours(false) },
      { name: "the same, every row read", role: "ours", turn: ours(true) }
    ],
    close: async () => {}
  }
}
