/** Access to the state of the service: its hosts and processes, their positions in the WAL, their problems. */
import { Effect } from "effect"
import { IpNetwork } from "effect/net"
import { Settings } from "../../Config.ts"
import { Denied } from "../../auth/Denied.ts"
import { parseIpNetwork } from "../../inventory/field/Networks.ts"
import { identify } from "../Admission.ts"
import { clientOf } from "../wire/Origin.ts"
import type { Request } from "../wire/Request.ts"

const words: ReadonlySet<string> = new Set(["anybody", "token"])

/** This machine and every user; only users where a proxy may be in front, whose clients would count as this machine. */
const usual = ["127.0.0.0/8", "::1", "token"]
const usualBehindProxy = ["token"]

type Access = Pick<Settings["Service"], "metricsAccess" | "baseUrl">

const accessOf = ({ metricsAccess, baseUrl }: Access): ReadonlyArray<string> =>
  metricsAccess ?? (baseUrl === undefined || isOfMachine(new URL(baseUrl).hostname) ? usual : usualBehindProxy)

const isOfMachine = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host)

/** Returns the fault of METRICS_ACCESS, or undefined. */
export const accessProblem = ({ metricsAccess = [] }: Pick<Access, "metricsAccess">): string | undefined => {
  const wrong = metricsAccess.find((each) => !words.has(each) && parseIpNetwork(each) === undefined)
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
  const access = accessOf(yield* Settings)
  if (access.includes("anybody")) return true
  const client = clientOf(incoming, origin)
  if (client !== undefined && networksOf(access).some((network) => IpNetwork.contains(network, client))) return true
  if (!access.includes("token")) return false
  if (principal.user !== undefined) return true
  return (yield* identify(incoming, origin)).user !== undefined
})

/** Fails with `Denied` if the client may not see the metrics. */
export const watching = Effect.fnUntraced(function* (request: Request) {
  if (!(yield* mayWatch(request))) return yield* new Denied({ reason: "NoCredentials" })
})
