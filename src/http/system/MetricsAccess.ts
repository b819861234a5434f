/** Access to the state of the service: its hosts and processes, their positions in the WAL, their problems. */
import { Effect } from "effect"
import { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { AdmissionSql } from "../../postgres/AdmissionSql.ts"
import { Settings } from "../../Config.ts"
import { Denied } from "../../auth/Denied.ts"
import { parseIpNetwork } from "../../inventory/field/Networks.ts"
import { identify } from "../Admission.ts"
import { clientOf } from "../wire/Origin.ts"
import type { Request } from "../wire/Request.ts"

const words: ReadonlySet<string> = new Set(["anybody", "token"])

/** Returns the fault of METRICS_ACCESS, or undefined. */
export const accessProblem = (access: ReadonlyArray<string>): string | undefined => {
  const wrong = access.find((each) => !words.has(each) && parseIpNetwork(each) === undefined)
  return wrong === undefined ? undefined : `METRICS_ACCESS: ${wrong} is no network, nor "anybody" or "token"`
}

/** The networks that the option names, parsed once: the head of every page needs them. */
const networksOf = (access: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> => {
  const networks = known.get(access) ?? access.flatMap((each) => parseIpNetwork(each) ?? [])
  known.set(access, networks)
  return networks
}

const known = new WeakMap<ReadonlyArray<string>, ReadonlyArray<IpNetwork.IpNetwork>>()

/** Whether the client may see the metrics, by its address or its credentials. */
export const mayWatch = Effect.fnUntraced(function* ({ incoming, origin, principal }: Request) {
  const { metricsAccess } = yield* Settings
  if (metricsAccess.includes("anybody")) return true
  const client = clientOf(incoming, origin)
  if (client !== undefined && networksOf(metricsAccess).some((network) => IpNetwork.contains(network, client)))
    return true
  if (!metricsAccess.includes("token")) return false
  if (principal.user !== undefined) return true
  const identified = identify(incoming, origin).pipe(Effect.provideServiceEffect(SqlClient.SqlClient, AdmissionSql))
  return (yield* identified).user !== undefined
})

/** Fails with `Denied` if the client may not see the metrics. */
export const watching = Effect.fnUntraced(function* (request: Request) {
  if (!(yield* mayWatch(request))) return yield* new Denied({ reason: "NoCredentials" })
})
