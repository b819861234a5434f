import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Frames } from "../../src/capture/wal/Frames.ts"
import { Pgoutput } from "../../src/capture/wal/Pgoutput.ts"
import { TransactionWindows, type Window, windowMessages } from "../../src/capture/fold/TransactionWindows.ts"
import { begin, commit, insert, logical, relation, truncate } from "./WalBytes.ts"
import { runs } from "../support/Seed.ts"

/** Part of a transaction, in short: a change of a tag, of a table not ours, an author, a stranger's message. */
type Part = "change" | "foreign" | "truncate" | "stranger" | { readonly author: string }

const requestId = "11111111-2222-4333-8444-555555555555"
const contextOf = (user: unknown, request: unknown = requestId) =>
  logical("rackwire:ctx:v1", JSON.stringify({ user, request }))

/** Messages of a transaction. Every change inserts the object whose id is its idx, so that none folds into another. */
const transaction = (parts: ReadonlyArray<Part>, lsn = 100n): ReadonlyArray<Buffer> => [
  begin(lsn, 0n),
  relation(1, "extras_tag", ["id", "name"]),
  relation(2, "audit", ["id"]),
  ...parts.map((part, idx) => {
    if (part === "change") return insert(1, [`${idx}`, "name"])
    if (part === "foreign") return insert(2, [`${idx}`])
    if (part === "truncate") return truncate([2])
    if (part === "stranger") return logical("other:prefix", "{}")
    return contextOf(part.author)
  }),
  commit(lsn, lsn + 8n)
]

/** The windows that the messages give; at the first error they end. */
const follow = (messages: ReadonlyArray<Buffer>, installation = "system 0") => {
  const windows: Array<Window> = []
  const tracker = new TransactionWindows(installation, (window) => windows.push(window))
  const decoder = new Pgoutput(tracker)
  let error: unknown
  try {
    for (const message of messages) decoder.decode(message, 0, message.length)
  } catch (caught) {
    error = caught
  }
  return { windows, tracker, error }
}

const idsIn = (windows: ReadonlyArray<Window>) => windows.map(({ changes }) => changes.map(({ idx }) => idx))

describe("a transaction", () => {
  test("is one window, which says where it ends", () => {
    const { windows, tracker } = follow(transaction(["change", "change"], 0x152e370n))
    expect(windows).toHaveLength(1)
    expect(windows[0]).toMatchObject({ transaction: { commitLsn: 0x152e370n }, endLsn: 0x152e378n })
    expect(tracker.inTransaction).toBe(false)
  })

  test("without changes is one window, so that its end can be confirmed", () => {
    const { windows } = follow(transaction([]))
    expect(windows.map(({ changes, endLsn }) => ({ changes, endLsn }))).toEqual([{ changes: [], endLsn: 108n }])
  })

  test("is open from its begin to its commit", () => {
    const whole = transaction(["change"])
    whole.slice(1).forEach((_, cut) => expect(follow(whole.slice(0, cut + 1)).tracker.inTransaction).toBe(true))
  })

  test("has the time of its commit, to the microsecond", () => {
    const micros = fc.bigInt({ min: -(10n ** 15n), max: 4n * 10n ** 15n })
    fc.assert(
      fc.property(micros, (since2000) => {
        const { windows } = follow([begin(1n, since2000), commit(1n, 2n)])
        const since1970 = since2000 + 946_684_800_000_000n
        const rest = ((since1970 % 1_000_000n) + 1_000_000n) % 1_000_000n
        const second = new Date(Number((since1970 - rest) / 1000n)).toISOString().slice(0, 19)
        expect(windows[0]!.transaction.timestamp).toBe(`${second}.${String(rest).padStart(6, "0")}+00:00`)
      })
    )
  })
})

describe("the idx of a change", () => {
  test("counts the raw messages before it, of known and unknown kinds", () => {
    const parts = fc.array(fc.constantFrom<Part>("change", "foreign", "truncate", "stranger", { author: "ann" }), {
      maxLength: 40
    })
    fc.assert(
      fc.property(parts, (parts) => {
        const expected = parts.flatMap((part, idx) => (part === "change" ? [idx] : []))
        expect(idsIn(follow(transaction(parts)).windows)).toEqual([expected])
      })
    )
  })

  test("begins at 0 again with the next transaction", () => {
    const { windows } = follow([...transaction(["change", "change"], 100n), ...transaction(["change"], 200n)])
    expect(idsIn(windows)).toEqual([[0, 1], [0]])
  })

  test("does not count messages outside the transaction", () => {
    const outside = logical("rackwire:ctx:v1", JSON.stringify({ user: "eve", request: requestId }), false)
    const [start, ...rest] = transaction(["change", "change"])
    const { windows } = follow([start!, outside, ...rest])
    expect(idsIn(windows)).toEqual([[0, 1]])
    expect(windows[0]!.changes[0]!.context).toBeUndefined()
  })
})

describe("a window", () => {
  const mixed = (length: number): ReadonlyArray<Part> =>
    Array.from({ length }, (_, idx): Part => (idx % 5 === 1 ? "foreign" : idx % 7 === 2 ? "stranger" : "change"))

  test.each([windowMessages - 1, windowMessages, windowMessages + 1, 2 * windowMessages, 2 * windowMessages + 100])(
    "closes after a fixed count of messages: a transaction of %i",
    (length) => {
      const parts = mixed(length)
      const { windows } = follow(transaction(parts))
      const expected = Array.from({ length: Math.floor(length / windowMessages) + 1 }, (_, window) =>
        parts.flatMap((part, idx) => (part === "change" && Math.floor(idx / windowMessages) === window ? [idx] : []))
      )
      expect(idsIn(windows)).toEqual(expected)
    }
  )

  test("names the end of the transaction only when it is the last one", () => {
    const { windows } = follow(transaction(mixed(2 * windowMessages + 1)))
    expect(windows.map(({ endLsn }) => endLsn)).toEqual([undefined, undefined, 108n])
  })

  test("without changes of object types is not emitted, unless it ends the transaction", () => {
    const parts = Array.from({ length: 2 * windowMessages }, (): Part => "foreign")
    const { windows } = follow(transaction(parts))
    expect(windows.map(({ changes, endLsn }) => [changes.length, endLsn])).toEqual([[0, 108n]])
  })

  test("keeps the author named in an earlier one", () => {
    const { windows } = follow(transaction([{ author: "ann" }, ...mixed(windowMessages)]))
    expect(windows).toHaveLength(2)
    for (const { changes } of windows) for (const { context } of changes) expect(context?.username).toBe("ann")
  })

  test("closes as well when its rows are long", () => {
    const long = "x".repeat(6 * 1024 * 1024)
    const rows = Array.from({ length: 7 }, (_, idx) => insert(1, [`${idx}`, long]))
    const [start, described] = transaction([])
    const { windows } = follow([start!, described!, ...rows, commit(100n, 108n)])
    expect(idsIn(windows)).toEqual([[0, 1, 2], [3, 4, 5], [6]])
  })

  test("ends at the same messages however the bytes of a transaction are cut", () => {
    const bytes = Buffer.concat(
      transaction([{ author: "ann" }, ...mixed(2 * windowMessages)]).map((message) => {
        const header = Buffer.alloc(5)
        header.writeInt32BE(4 + message.length, 1)
        return Buffer.concat([header, message])
      })
    )
    const arrive = (chunkSizes: ReadonlyArray<number>) => {
      const windows: Array<Window> = []
      const decoder = new Pgoutput(new TransactionWindows("system 0", (window) => windows.push(window)))
      const frames = new Frames()
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = chunkSizes[turn % chunkSizes.length]!
        frames.push(bytes.subarray(at, at + size), (_, chunk, start, end) => decoder.decode(chunk, start, end))
        at += size
      }
      return windows.map(({ changes, ...window }) => ({
        ...window,
        changes: changes.map(({ type, kind, idx, last, context }) => [type.id, kind, idx, last.row(), context])
      }))
    }
    const whole = arrive([bytes.length])
    expect(whole).toHaveLength(3)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 }), (chunkSizes) => {
        expect(arrive(chunkSizes)).toEqual(whole)
      }),
      { numRuns: runs(10) }
    )
  })
})

describe("the author of a change", () => {
  const authors = (messages: ReadonlyArray<Buffer>) =>
    follow(messages).windows.flatMap(({ changes }) => changes.map(({ context }) => context?.username))

  test("is the user named last before it", () => {
    const parts: ReadonlyArray<Part> = ["change", { author: "ann" }, "change", "change", { author: "bob" }, "change"]
    expect(authors(transaction(parts))).toEqual([undefined, "ann", "ann", "bob"])
  })

  test("is not taken from the transaction before", () => {
    const two = [...transaction([{ author: "ann" }, "change"], 100n), ...transaction(["change"], 200n)]
    expect(authors(two)).toEqual(["ann", undefined])
  })

  test("comes with the request that was named", () => {
    const [change] = follow(transaction([{ author: "ann" }, "change"])).windows[0]!.changes
    expect(change!.context).toEqual({ username: "ann", requestId })
  })

  const followContext = (content: string) => {
    const [start, described, other, change, end] = transaction(["change"])
    return follow([start!, described!, other!, logical("rackwire:ctx:v1", content), change!, end!])
  }

  const line = { method: "POST", path: "/api/dcim/sites/" }
  test.each([
    ["method, path and token", { token: 5 }, { ...line, token: 5 }],
    ["a token that is no id", { token: "5" }, line],
    ["the webhooks that led to it", { chain: [5, 7] }, { ...line, chain: [5, 7] }],
    ["webhooks that are no ids", { chain: [5, "7"] }, line],
    ["no method", { method: undefined }, undefined],
    ["a path with a zero byte", { path: "/\0" }, undefined],
    ["a path of 501 characters", { path: "/".repeat(501) }, undefined]
  ])("tells how the request came in, of a context with %s", (_, told, request) => {
    const { windows } = followContext(JSON.stringify({ user: "ann", request: requestId, ...line, ...told }))
    expect(windows[0]!.changes[0]!.context).toEqual({ username: "ann", requestId, request })
  })

  const unusable: ReadonlyArray<readonly [string, string]> = [
    ["no JSON", "ann"],
    ["nothing", ""],
    ["no object", "null"],
    ["a list", "[]"],
    ["an author alone", JSON.stringify({ user: "ann" })],
    ["a request alone", JSON.stringify({ request: requestId })],
    ["an author who is no text", JSON.stringify({ user: 5, request: requestId })],
    ["an author in a list", JSON.stringify({ user: ["ann"], request: requestId })],
    ["a request that is no text", JSON.stringify({ user: "ann", request: 5 })],
    ["a request that is no UUID, which the change log could not keep", JSON.stringify({ user: "ann", request: "r-1" })],
    ["an author with a zero byte, which is no text", JSON.stringify({ user: "a\0", request: requestId })]
  ]

  test.each(unusable)("is nobody when a context says %s", (_, content) => {
    const { windows, error } = followContext(content)
    expect(error).toBeUndefined()
    expect(windows[0]!.changes.map(({ context, idx }) => [context, idx])).toEqual([[undefined, 1]])
  })

  test("is never read from content that the change log could not keep", () => {
    const near = fc
      .tuple(fc.oneof(fc.string(), fc.jsonValue()), fc.oneof(fc.uuid(), fc.jsonValue()))
      .map(([user, request]) => JSON.stringify({ user, request }))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), near), (content) => {
        const context = followContext(content).windows[0]!.changes[0]!.context
        if (context === undefined) return
        expect(context.username).not.toContain("\0")
        expect(context.requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
        expect(JSON.parse(content)).toEqual({ user: context.username, request: context.requestId })
      })
    )
  })
})

describe("a transaction that names nobody", () => {
  const anonymous = (lsn: bigint, installation?: string) =>
    follow(transaction(["change"], lsn), installation).windows[0]!.transaction.anonymous

  test("has an empty author, and the same UUID each time it is read", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 60n }), fc.string(), (lsn, installation) => {
        const once = anonymous(lsn, installation)
        expect(once.username).toBe("")
        expect(once.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(anonymous(lsn, installation)).toEqual(once)
      })
    )
  })

  test("has a UUID of its own, across databases", () => {
    const lsn = fc.bigInt({ min: 1n, max: 3n })
    const installation = fc.constantFrom("system 0", "system 1", "other 0")
    fc.assert(
      fc.property(lsn, installation, lsn, installation, (lsnA, systemA, lsnB, systemB) => {
        const same = lsnA === lsnB && systemA === systemB
        expect(anonymous(lsnA, systemA).requestId === anonymous(lsnB, systemB).requestId).toBe(same)
      })
    )
  })
})

describe("a stream that goes wrong", () => {
  const change = insert(1, ["1", "name"])
  const described = relation(1, "extras_tag", ["id", "name"])

  test.each([
    ["a transaction at an LSN before that of the last one", [...transaction([], 100n), ...transaction([], 99n)]],
    ["a transaction at the LSN of the last one", [...transaction([], 100n), ...transaction([], 100n)]],
    ["a commit at another LSN than its begin", [begin(100n, 0n), commit(101n, 102n)]],
    ["a commit without a begin", [commit(100n, 108n)]],
    ["a second commit", [...transaction([]), commit(100n, 108n)]],
    ["a begin inside a transaction", [begin(100n, 0n), begin(200n, 0n)]],
    ["a change outside any transaction", [described, change]],
    ["a change after the commit", [...transaction([]), change]]
  ])("is refused: %s", (_, messages) => {
    expect(follow(messages).error).toMatchObject({ _tag: "CaptureError", reason: "Protocol", mayRetry: false })
  })
})
