/** Handlers that may run before the sender's token was looked up: their type demands proof that it was checked. */
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { type AtOnce, type Handler, type Reply, atOnce } from "../../src/http/Route.ts"
import type { PresumedRequest, Request } from "../../src/http/wire/Request.ts"
import { type Checked, checkedBy, mapChecked } from "../../src/inventory/read/Premise.ts"
import type { Author, PresumedAuthor } from "../../src/inventory/write/Transaction.ts"
import { everything } from "../../src/inventory/derive/filter/Where.ts"

type Fits<A, B> = A extends B ? true : false

type Begin<R> = (request: R) => Effect.Effect<Checked<number>>

it("cannot be made from a handler that checks nothing, or that has an author to write by", () => {
  const handler: Fits<Handler, AtOnce> = false
  const begin: Fits<Handler, Parameters<typeof atOnce>[0]> = false
  const withAuthor: Fits<Begin<Request>, Parameters<typeof atOnce>[0]> = false
  const withoutAuthor: Fits<Begin<PresumedRequest>, Parameters<typeof atOnce>[0]> = true
  const author: Fits<PresumedAuthor, Author> = false
  const proof: Fits<{ readonly value: number }, Checked<number>> = false
  expect([handler, begin, withAuthor, withoutAuthor, author, proof]).toEqual([false, false, false, true, false, false])
})

it("gives a result only where the premise held, or where there was none", async () => {
  const given = (holds: boolean, premise: typeof everything | undefined) =>
    Effect.runPromiseExit(
      Effect.map(checkedBy(premise, holds, 1), (checked) => mapChecked(checked, (n) => n + 1).value)
    )
  expect([await given(true, everything), await given(false, undefined)]).toEqual([Exit.succeed(2), Exit.succeed(2)])
  expect(await given(false, everything)).toMatchObject({ cause: { reasons: [{ error: { _tag: "PremiseFailed" } }] } })
})

it("answers with its last part alone once the statement has run", async () => {
  const begun: Array<unknown> = []
  const handler = atOnce(
    (_, premise) => Effect.suspend(() => checkedBy(premise, true, begun.push(premise))),
    (count) => Effect.succeed({ status: 200, json: count })
  )
  const { value } = await Effect.runPromise(
    handler.begin({} as Request, everything) as Effect.Effect<Checked<Effect.Effect<Reply>>>
  )
  expect(begun).toEqual([everything])
  expect([await Effect.runPromise(value), begun.length]).toEqual([{ status: 200, json: 1 }, 1])
})
