/** The alert rules and the dashboard of `ops/`. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

export const opsFile = (path: string): string => fileURLToPath(new URL(`../../ops/${path}`, import.meta.url))

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
}

const rulesFile = parse(readFileSync(opsFile("prometheus/rules.yml"), "utf8")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}

export const rules: ReadonlyArray<Rule> = rulesFile.groups.flatMap((group) => group.rules)

const dashboard = JSON.parse(readFileSync(opsFile("grafana/rackwire.json"), "utf8")) as {
  readonly panels: ReadonlyArray<{
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
  }>
}

/** The queries of the dashboard, as Grafana sends them. */
export const queries = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr, legendFormat }) => ({ expr: expr.replaceAll("$__rate_interval", "5m"), legendFormat }))
)
