/** The finding of `check` about users whom a proxy names in a header. Pure. */
import { type ProxyOptions, headersOf, proxyProblem } from "../../auth/proxy/ProxyRules.ts"
import type { Finding } from "./Findings.ts"

/** Reports from which addresses the header is believed, or options with which the service does not start. */
export const proxyFindings = (options: ProxyOptions): ReadonlyArray<Finding> => {
  const headers = headersOf(options)
  if (headers === undefined) return []
  const problem = proxyProblem(options)
  const { user, groups } = headers
  const { trustedProxies, remoteAuthCreateUsers } = options
  const unknown = remoteAuthCreateUsers ? "unknown users are created" : "unknown users are refused"
  return [
    {
      what: "sign-in by a proxy",
      is:
        problem === undefined
          ? `${[user, ...(groups === undefined ? [] : [groups])].join(" and ")} from ${trustedProxies.join(", ")}; ${unknown}. The proxy must replace what clients send`
          : "the service does not start",
      change: problem
    }
  ]
}
