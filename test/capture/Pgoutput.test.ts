import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CaptureError } from "../../src/capture/CaptureError.ts"
import { type Handler, Pgoutput } from "../../src/capture/wal/Pgoutput.ts"
import { type Cell, insert, logical, relation, remove, truncate, unchanged, update } from "./WalBytes.ts"
import { codePoint } from "../support/CodePoint.ts"

type Call =
  | readonly ["begin", bigint, number, number]
  | readonly ["commit", bigint, bigint]
  | readonly ["message", string, string]
  | readonly ["change", string | undefined, unknown, unknown]
  | readonly ["truncate", ...ReadonlyArray<string>]

/** Decodes the messages one after another; each lies in the middle of other bytes, as it does in a chunk. */
const decode = (messages: ReadonlyArray<Buffer>): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  const handler: Handler = {
    begin: (lsn, micros, xid) => calls.push(["begin", lsn, micros, xid]),
    commit: (lsn, end) => calls.push(["commit", lsn, end]),
    message: (prefix, content) => calls.push(["message", prefix, content]),
    change: (type, before, after) =>
      calls.push(["change", type?.id, before === "unknown" ? before : before?.row(), after?.row()]),
    skipsRows: false,
    skipped: () => {},
    truncate: (types) => calls.push(["truncate", ...types.map(({ id }) => id)])
  }
  const decoder = new Pgoutput(handler)
  for (const message of messages) {
    const chunk = Buffer.concat([Buffer.from("padding"), message, Buffer.from("tntu")])
    decoder.decode(chunk, 7, 7 + message.length)
  }
  return calls
}

const failure = (messages: ReadonlyArray<Buffer>): unknown => {
  try {
    decode(messages)
  } catch (error) {
    return error
  }
  return undefined
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")

/** `extras_tag (id, name, slug)` under oid 16385, with replica identity full. */
const tagRelation = hex(`
  52 00004001 7075626c696300 6578747261735f74616700 66 0003
  01 696400 00000014 ffffffff
  00 6e616d6500 00000019 ffffffff
  00 736c756700 00000019 ffffffff`)

/** Cells of the row 1, "Ä", null. */
const tagCells = "0003 74 00000001 31 74 00000002 c384 6e"

const unnamed = { color: "9e9e9e", description: "", created: null, last_updated: null }

describe("a message, byte by byte as the protocol lays it out", () => {
  test("B begins a transaction at its commit's LSN, with a time since 1970", () => {
    expect(decode([hex("42 000000000152e370 0000000000000001 000002e9")])).toEqual([
      ["begin", 0x152e370n, 946_684_800_000_001, 0x2e9]
    ])
  })

  test("C commits at an LSN and names the end behind it", () => {
    expect(decode([hex("43 00 000000000152e370 000000000152e3a8 0002e0c3b1a8f000")])).toEqual([
      ["commit", 0x152e370n, 0x152e3a8n]
    ])
  })

  test("R alone gives nothing", () => {
    expect(decode([tagRelation])).toEqual([])
  })

  test("I brings a row after", () => {
    const after = { id: 1, name: "Ä", slug: null, ...unnamed }
    expect(decode([tagRelation, hex(`49 00004001 4e ${tagCells}`)])).toEqual([
      ["change", "extras.tag", undefined, after]
    ])
  })

  test("U brings a row before and after", () => {
    const message = hex(`55 00004001 4f ${tagCells} 4e 0003 74 00000001 31 74 00000000 74 00000001 78`)
    const before = { id: 1, name: "Ä", slug: null, ...unnamed }
    const after = { id: 1, name: "", slug: "x", ...unnamed }
    expect(decode([tagRelation, message])).toEqual([["change", "extras.tag", before, after]])
  })

  test("D brings a row before", () => {
    const before = { id: 1, name: "Ä", slug: null, ...unnamed }
    expect(decode([tagRelation, hex(`44 00004001 4f ${tagCells}`)])).toEqual([
      ["change", "extras.tag", before, undefined]
    ])
  })

  test("M inside a transaction brings its prefix and content", () => {
    const message = hex("4d 01 0000000001528948 7261636b7769726500 00000005 c384 007b7d")
    expect(decode([message])).toEqual([["message", "rackwire", "Ä\0{}"]])
  })

  test("M outside a transaction is ignored", () => {
    expect(decode([hex("4d 00 0000000001528948 7261636b7769726500 00000002 7b7d")])).toEqual([])
  })

  test("T names the object types whose tables are truncated", () => {
    expect(decode([tagRelation, hex("54 00000001 00 00004001")])).toEqual([["truncate", "extras.tag"]])
  })

  test("Y and O are ignored", () => {
    expect(decode([hex("59 00004002 7075626c696300 7600"), hex("4f 0000000001528948 6f00")])).toEqual([])
  })
})

const columns = ["id", "name", "slug", "color", "description", "created", "last_updated"]
const described = relation(9, "extras_tag", columns)
const cells = (name: Cell, description: Cell): ReadonlyArray<Cell> => {
  const time = "2026-11-20 23:48:01.5+00"
  return ["1", name, "slug", "9e9e9e", description, time, time]
}
const row = (name: string, description: string) => {
  const time = "2026-11-20T23:48:01.5Z"
  return { id: 1, name, slug: "slug", color: "9e9e9e", description, created: time, last_updated: time }
}

describe("a row", () => {
  test("is read by the names of its columns, in any order, without unknown ones", () => {
    const shuffled = fc.shuffledSubarray([...columns, "legacy"], { minLength: columns.length + 1 })
    const values: Readonly<Record<string, Cell>> = {
      ...Object.fromEntries(columns.map((column, at) => [column, cells("n", "d")[at]!])),
      legacy: "nobody asked"
    }
    fc.assert(
      fc.property(shuffled, (order) => {
        const message = insert(
          9,
          order.map((column) => values[column]!)
        )
        expect(decode([relation(9, "extras_tag", order), message])).toEqual([
          ["change", "extras.tag", undefined, row("n", "d")]
        ])
      })
    )
  })

  test("carries any text unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (name, description) => {
        expect(decode([described, insert(9, cells(name, description))])).toEqual([
          ["change", "extras.tag", undefined, row(name, description)]
        ])
      })
    )
  })

  test("takes a TOASTed value that did not change from the old row", () => {
    const message = update(9, "O", cells("before", "long"), cells("after", unchanged))
    expect(decode([described, message])).toEqual([
      ["change", "extras.tag", row("before", "long"), row("after", "long")]
    ])
  })

  test("takes an unchanged value from the old row in an unknown column too", () => {
    const wider = relation(9, "extras_tag", [...columns, "legacy"])
    const message = update(9, "O", [...cells("a", "b"), "x"], [...cells("c", "d"), unchanged])
    expect(decode([wider, message])).toEqual([["change", "extras.tag", row("a", "b"), row("c", "d")]])
  })

  test("written before a migration has the fields that the migration added, as the migration filled them", () => {
    const older = relation(9, "dcim_site", ["id", "name", "region_id"])
    const [call] = decode([older, insert(9, ["3", "Site", "4"])])
    expect(call?.[3]).toMatchObject({ id: 3, name: "Site", region: 4, status: "active", tags: [], latitude: null })
  })

  test("follows the latest description of its relation", () => {
    const narrower = relation(9, "extras_tag", ["slug", "id"])
    expect(decode([described, narrower, insert(9, ["s", "5"])])).toEqual([
      ["change", "extras.tag", undefined, { id: 5, name: null, slug: "s", ...unnamed }]
    ])
  })
})

describe("a table that is no object type", () => {
  const foreign = relation(9, "audit", ["id"])

  test("has changes without type or rows", () => {
    const messages = [foreign, insert(9, ["1"]), update(9, "O", ["1"], ["2"]), remove(9, "O", ["1"])]
    expect(decode(messages)).toEqual(Array.from({ length: 3 }, () => ["change", undefined, undefined, undefined]))
    expect(decode([foreign, tagRelation, truncate([9]), truncate([9, 16385])])).toEqual([
      ["truncate"],
      ["truncate", "extras.tag"]
    ])
  })

  test("is not decoded, whatever its cells and its replica identity are", () => {
    const binary: Cell = { kind: "binary", hex: "00" }
    const messages = [foreign, insert(9, [binary]), update(9, "", [], [unchanged]), remove(9, "K", ["1"])]
    expect(decode(messages)).toEqual(Array.from({ length: 3 }, () => ["change", undefined, undefined, undefined]))
  })
})

describe("a table that has lost its replica identity full", () => {
  const short = relation(9, "extras_tag", columns, "public", "d")

  test("gives an update without the state before, and nothing for a value that is missing", () => {
    const old = ["1", null, null, null, null, null, null]
    const after = { ...row("n", "d"), description: null }
    const message = cells("n", unchanged)
    expect(decode([short, update(9, "", [], message), update(9, "K", old, message)])).toEqual([
      ["change", "extras.tag", "unknown", after],
      ["change", "extras.tag", "unknown", after]
    ])
  })

  test("gives the id of a deleted row", () => {
    const [call] = decode([short, remove(9, "K", ["1", null, null, null, null, null, null])])
    expect(call).toMatchObject(["change", "extras.tag", { id: 1, name: null }, undefined])
  })
})

describe("a message that breaks the protocol", () => {
  const old = cells("a", "b")

  test.each([
    ["an update without its old row", update(9, "", [], old), "public.extras_tag: an update without its old row"],
    ["an update with the old key only", update(9, "K", old, old), "public.extras_tag: an update without its old row"],
    ["a delete with the old key only", remove(9, "K", old), "public.extras_tag: a delete without its old row"],
    ["a change of a relation that was never described", insert(10, ["1"]), "relation 10,"],
    ["a cell in binary", insert(9, cells({ kind: "binary", hex: "00" }, "")), "public.extras_tag: a cell"],
    ["an unchanged cell without an old row", insert(9, cells(unchanged, "")), "public.extras_tag: a cell"],
    ["an unchanged cell in an old row", remove(9, "O", cells(unchanged, "")), "public.extras_tag: a cell"]
  ])("is %s: reading stops", (_, message, text) => {
    const error = failure([described, message])
    expect(error).toMatchObject({ _tag: "CaptureError", reason: "Protocol", mayRetry: false })
    expect((error as CaptureError).message).toContain(text)
  })

  test("is one with any unknown tag", () => {
    const known = new Set([..."BCDIMORTUY"].map((tag) => tag.charCodeAt(0)))
    const unknown = fc.nat(255).filter((tag) => !known.has(tag))
    fc.assert(
      fc.property(unknown, fc.uint8Array({ maxLength: 40 }), (tag, body) => {
        const error = failure([Buffer.from([tag, ...body])])
        expect(error).toMatchObject({ _tag: "CaptureError", reason: "Protocol" })
        expect((error as CaptureError).message).toContain("unknown message tag")
      })
    )
  })
})

describe("a logical message", () => {
  test("that is longer than one of ours comes without its content", () => {
    const long = Buffer.alloc(65 * 1024 * 1024, "x")
    const [head, tail] = [logical("p", ""), Buffer.alloc(4)]
    tail.writeInt32BE(long.length)
    expect(decode([Buffer.concat([head.subarray(0, -4), tail, long])])).toEqual([["message", "", ""]])
    expect(decode([logical("p".repeat(1000), "x")])).toEqual([["message", "", ""]])
  })

  test("carries any prefix and content unchanged", () => {
    const prefix = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"))
    fc.assert(
      fc.property(prefix, fc.string({ unit: codePoint }), (prefix, content) => {
        expect(decode([logical(prefix, content), logical(prefix, content, false)])).toEqual([
          ["message", prefix, content]
        ])
      })
    )
  })
})
