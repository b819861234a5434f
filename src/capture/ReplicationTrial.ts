/** A try to replicate: the right to do so may be that of a role that a cloud grants, which no catalog shows. */
import { Effect } from "effect"
import { reveal } from "../Config.ts"
import { Servers } from "../embedded/Servers.ts"
import { addressOf } from "../postgres/PostgresUrl.ts"
import { type CaptureError, asCaptureError } from "./CaptureError.ts"
import { Walsender } from "./wal/Walsender.ts"

/** Returns the refusal of a replication connection; undefined if Postgres accepts it. */
export const replicationRefusal = Effect.gen(function* () {
  const { databaseUrl } = yield* Servers
  return yield* Effect.promise(async (): Promise<CaptureError | undefined> => {
    try {
      const walsender = await Walsender.connect(addressOf(reveal(databaseUrl)))
      walsender.close()
      return undefined
    } catch (error) {
      return asCaptureError(error)
    }
  })
})
