/** Reads the facts and the rules of a NetBox's database, as `rackwire attach` does. */
import { Effect, Layer, Redacted } from "effect"
import { readFacts } from "../../src/attach/Facts.ts"
import { readRules } from "../../src/attach/Rules.ts"
import { Servers } from "../../src/embedded/Servers.ts"

const none = Redacted.make("")
/** Rackwire's own servers: reading needs none of them. */
const own = Layer.succeed(Servers, Servers.of({ databaseUrl: none, redisUrl: none, secretKey: none }))

export const factsOf = (url: string, slot = "rackwire", takesWebhooks = true) =>
  readFacts(Redacted.make(url), { slot, publication: "rackwire" }, takesWebhooks).pipe(
    Effect.provide(own),
    Effect.runPromise
  )

/** `facts`: usual are those of the database. */
export const rulesOf = async (url: string, facts?: Parameters<typeof readRules>[1]) =>
  readRules(Redacted.make(url), facts ?? (await factsOf(url))).pipe(Effect.provide(own), Effect.runPromise)
