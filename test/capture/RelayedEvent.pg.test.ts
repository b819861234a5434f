/** The message is made by SQL in a transaction of a real server, since the digest is that of the transaction's number. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RelayedEvent, relayedEvent, relayedSql, sealRelayed } from "../../src/capture/RelayedEvent.ts"
import { type TestDatabase, makeDatabase } from "../support/Database.ts"

const event: RelayedEvent = {
  ...{ objectType: "3:dcim.site", objectId: 7, kind: "created", display: "A", username: "ada" },
  requestId: "0d3c0b1c-93f5-4a2d-9d0b-3b3c5b0c7d11",
  source: { name: "netbox", change: "12", time: "2026-01-01T00:00:00Z", data: "snapshot" },
  json: { data: "{}", prechange: "null", postchange: "{}" }
}

/** Texts are sealed by a word in front of them. */
const seal = (text: string) => `ours ${text}`
const open = (sealed: string): string | undefined => (sealed.startsWith("ours ") ? sealed.slice(5) : undefined)

let database: TestDatabase
beforeAll(async () => {
  database = await makeDatabase()
})
afterAll(() => database.drop())

/** The message of an event, and the lower 32 bits of the number of the transaction that made it. */
const written = async (text: string, proof: string) => {
  const [row] = await database.superuser.query<{ readonly message: string; readonly xid: string }>(
    `select ${relayedSql("$1::text", "$2::text")} as message, pg_current_xact_id()::xid::text as xid`,
    [text, proof]
  )
  return { message: row!.message, xid: Number(row!.xid) }
}

describe("a relayed event", () => {
  test("is read in the transaction that wrote it, and in no other", async () => {
    const { sealed, proof } = sealRelayed(event, seal)
    const { message, xid } = await written(sealed, proof)
    expect(relayedEvent(message, open, xid)).toEqual(event)
    expect(relayedEvent(message, open, xid + 1)).toBeUndefined()
  })

  test("is ignored where it was not sealed, or its digest was made without its proof", async () => {
    const { sealed, proof } = sealRelayed(event, seal)
    const bare = await written(sealed.slice("ours ".length), proof)
    expect(relayedEvent(bare.message, open, bare.xid)).toBeUndefined()
    const guessed = await written(sealed, sealRelayed(event, seal).proof)
    expect(relayedEvent(guessed.message, open, guessed.xid)).toBeUndefined()
    expect(relayedEvent("", open, guessed.xid)).toBeUndefined()
  })
})
