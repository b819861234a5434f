/**
 * Paths of NetBox that are not built by decision. They answer 501 with the reason, so that no client takes them for a wrong
 * address. docs/netbox.md lists them.
 */
import { HttpRefused } from "../HttpRefused.ts"

const reasons: ReadonlyArray<readonly [path: RegExp, reason: string]> = [
  [/^\/graphql(\/|$)/, "GraphQL is not built: lists and their parameter fields answer the same questions."],
  [
    /^\/api\/core\/(data-files|data-sources)(\/|$)/,
    "Data sources are not built: no files or repositories are synchronized."
  ],
  [/^\/api\/core\/jobs(\/|$)/, "Jobs are not built: no reports and scripts run in the service."],
  [
    /^\/api\/extras\/(reports|scripts)(\/|$)/,
    "Reports and scripts are not built: no code of users runs in the service."
  ]
]

/** The refusal of a path that is not built; undefined for every other path. */
export const notBuilt = (path: string): HttpRefused | undefined => {
  const detail = reasons.find(([pattern]) => pattern.test(path))?.[1]
  return detail === undefined ? undefined : new HttpRefused({ reason: "NotImplemented", body: { detail } })
}
