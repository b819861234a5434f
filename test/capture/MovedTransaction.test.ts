import { describe, expect, test } from "vitest"
import { movedPrefix, movedText } from "../../src/capture/MovedTransaction.ts"
import { Pgoutput } from "../../src/capture/wal/Pgoutput.ts"
import { TransactionWindows, type Window } from "../../src/capture/fold/TransactionWindows.ts"
import { begin, commit, insert, logical, relation } from "./WalBytes.ts"

/** The number of the transactions in Postgres. */
const xid = 7

/** Texts are sealed by a word in front of them. */
const open = (sealed: string): string | undefined => (sealed.startsWith("ours ") ? sealed.slice(5) : undefined)

/** A transaction of moved rows: their types alone are kept. */
const moved = { types: ["extras.tag"], changes: 0 }
const usual = { types: undefined, changes: 1 }

/** Each transaction of these messages and a change behind them, as capture keeps it. */
const kept = (...transactions: ReadonlyArray<ReadonlyArray<Buffer>>) => {
  const windows: Array<Window> = []
  const decoder = new Pgoutput(new TransactionWindows("system 0", (window) => windows.push(window), open))
  const messages = transactions.flatMap((each, at) => {
    const lsn = BigInt(100 * (at + 1))
    const change = insert(1, [`${at}`, "name"])
    return [begin(lsn, 0n, xid), relation(1, "extras_tag", ["id", "name"]), ...each, change, commit(lsn, lsn + 8n)]
  })
  for (const message of messages) decoder.decode(message, 0, message.length)
  return windows.map(({ moved, changes }) => ({
    types: moved === undefined ? undefined : [...moved].map(({ id }) => id),
    changes: changes.length
  }))
}

const marked = logical(movedPrefix, `ours ${movedText(xid)}`)

describe("a transaction of rows that are moved here", () => {
  test("is known by its first record, and the next one is another", () => {
    expect(kept([marked], [])).toEqual([moved, usual])
  })

  test("is not made by a message that is not sealed, or is of another transaction", () => {
    expect(kept([logical(movedPrefix, movedText(xid))])).toEqual([usual])
    expect(kept([logical(movedPrefix, `ours ${movedText(xid + 1)}`)])).toEqual([usual])
  })

  test("is not made by a message behind another one", () => {
    expect(kept([logical("other:prefix", "{}"), marked])).toEqual([usual])
  })
})
