/**
 * The service inside of the worker: the layers that `rackwire serve` launches, with options from a record. It starts in a
 * fraction of the time of a process, and its modules are in the import graph of the test. What it prints is collected.
 */
import { randomBytes } from "node:crypto"
import { Cause, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { ProcessName } from "../../src/postgres/Presence.ts"
import { type Role, roles as allRoles, service } from "../../src/Service.ts"
import { inWords } from "../../src/telemetry/Telemetry.ts"
import { type Client, password, superuserOf } from "./Client.ts"
import { callDeclared } from "./Replies.ts"
import { countStart } from "./Ledger.ts"
import { running } from "./Running.ts"
import { portFor } from "./Process.ts"
import { surroundings } from "./Surroundings.ts"

export interface Service extends Client {
  readonly url: string
  /** The name of its row among the processes. */
  readonly name: string
  /** Everything it has printed so far. */
  readonly output: () => string
  /** Stops it in good order. */
  readonly stop: () => Promise<void>
}

export interface Start {
  readonly roles?: ReadonlyArray<Role> | undefined
  /** Factor of the product's time constants (src/eventloop/Pace.ts). */
  readonly pace?: number | undefined
  /** Whether it runs on after the file that starts it. */
  readonly outlivesFile?: boolean
}

/** Starts the service. Rejects with its output if it cannot start. */
export const startService = async (
  environment: Readonly<Record<string, string>>,
  { roles = allRoles, pace, outlivesFile = false }: Start = {}
): Promise<Service> => {
  countStart("worker")
  const name = `test ${randomBytes(6).toString("hex")}`
  const around = surroundings({ PORT: portFor(roles), SUPERUSER_PASSWORD: password, ...environment }, pace)
  const ready = Deferred.makeUnsafe<string>()
  const layer = service(roles, (url) => Effect.asVoid(Deferred.succeed(ready, url))).pipe(
    Layer.provide([around.layer, Layer.succeed(ProcessName, name)])
  )
  const scope = Scope.makeUnsafe()
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const built = await Effect.runPromiseExit(
    Effect.andThen(Layer.buildWithScope(layer, scope), Effect.timeout(Deferred.await(ready), readyMax))
  )
  if (Exit.isFailure(built)) {
    await stop()
    throw new Error(`${inWords(Cause.squash(built.cause))}\n${around.output()}`)
  }
  const entry = { output: around.output, stop, outlivesFile }
  running.add(entry)
  const url = built.value
  return {
    url,
    name,
    ...superuserOf(url, callDeclared),
    output: around.output,
    stop: async () => {
      await stop()
      running.delete(entry)
    }
  }
}

/** Time within which the service has to be ready. */
const readyMax = "100 seconds"
