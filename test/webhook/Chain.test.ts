/** Which deliveries go on with a loop, and what the header of chains tells whom. Sealing is real. */
import { randomBytes } from "node:crypto"
import { describe, expect, test } from "vitest"
import { chainHeader, chainHeaderOf, loopFailure, readChain } from "../../src/webhook/Chain.ts"
import { Loops } from "../../src/deliver/actor/Loops.ts"
import { headerText } from "../../src/webhook/HeaderText.ts"
import { batchOf } from "../../src/webhook/Batch.ts"
import { isHopeless } from "../../src/event/Outcome.ts"
import { vaultOf } from "../support/Vault.ts"

const vault = vaultOf("a key for tests, of sufficient length")

describe("the header of a chain", () => {
  test("names the webhooks that led to a request, and is the same for all requests that none led to", () => {
    const header = chainHeaderOf(7, vault)
    expect(readChain(header(undefined), vault)).toEqual([7])
    expect(readChain(header([3, 5]), vault)).toEqual([3, 5, 7])
    expect(header(undefined)).toBe(header(undefined))
  })

  test("keeps the latest webhooks of a long chain", () => {
    const long = Array.from({ length: 16 }, (_, at) => Number.MAX_SAFE_INTEGER - at)
    expect(readChain(chainHeaderOf(7, vault)(long), vault)).toEqual([...long.slice(1), 7])
  })

  test.each([undefined, "", "7", "chain:7", "s2.abc", randomBytes(60).toString("base64url"), "x".repeat(1e6)])(
    "is taken for none if it was invented: %.20s",
    (invented) => expect(readChain(invented, vault)).toBeUndefined()
  )

  test("is taken for none if it was changed, is another sealed text, or was made by another service", () => {
    const header = chainHeaderOf(7, vault)(undefined)
    const end = header.endsWith("A") ? "Q" : "A"
    const others = [
      header.slice(0, -1) + end,
      vault.seal("7"),
      chainHeaderOf(7, vaultOf(randomBytes(32).toString("hex")))([1])
    ]
    expect(others.map((each) => readChain(each, vault))).toEqual([undefined, undefined, undefined])
  })

  test("is not in the log", () => {
    expect(headerText({ "x-hook-attempt": "1", [chainHeader]: "sealed", "x-a": "b" })).toBe(
      "x-hook-attempt: 1\nx-a: b\n"
    )
  })
})

describe("a delivery", () => {
  test.each([
    ["of a change that no webhook made", undefined, false],
    ["of a chain of three", [7, 7, 7], false],
    ["of a chain of four with its webhook", [7, 8, 8, 8], true],
    ["of a longest chain with its webhook", [...Array.from({ length: 15 }, () => 8), 7], true],
    ["of a long chain of others", [8, 8, 8, 8, 9], false]
  ])("%s: %j is a loop: %s", (_, chain, isLoop) => {
    const failure = loopFailure({ webhook: 7, chain })
    expect([failure?.reason, failure && isHopeless(failure)]).toEqual(isLoop ? ["Loop", true] : [undefined, undefined])
  })
})

test("a batch follows from all of its members: it has the longest of their chains", () => {
  const member = { webhook: 7, attempts: 0, body: "{}" } as Parameters<typeof batchOf>[0][number]
  const batch = batchOf(
    [
      { ...member, id: "1", chain: [1] },
      { ...member, id: "2", chain: [1, 2] },
      { ...member, id: "3" }
    ],
    {
      isLatest: false
    }
  )
  expect(batch.chain).toEqual([1, 2])
})

test("the alarm names webhooks for ten minutes after their last delivery that was stopped", () => {
  let now = 0
  const loops = new Loops(() => now)
  expect(loops.warnings()).toEqual([])
  expect([loops.stop(5), loops.stop(5), loops.stop(3)]).toEqual([true, false, true])
  expect(loops.warnings()).toEqual(["a loop of deliveries was stopped: webhook 3, 5"])
  now = 599_999
  loops.stop(3)
  now = 600_000
  expect(loops.warnings()).toEqual(["a loop of deliveries was stopped: webhook 3"])
  for (const webhook of [10, 11, 12, 13, 14]) loops.stop(webhook)
  expect(loops.warnings()).toEqual(["a loop of deliveries was stopped: webhook 3, 10, 11, 12, 13 and 1 more"])
})
