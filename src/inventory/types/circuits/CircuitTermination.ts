import type { RowOf } from "../../Field.ts"
import { type Bond, broken, choice, defineObjectType, flag, integer, labels, ref, text } from "../../ObjectType.ts"
import { plug, plugBond, plugFields } from "../../shared/Cabled.ts"
import { circuitFunctions, circuitTriggers } from "../../shared/cable/CircuitSql.ts"

const speedMax = 2_147_483_647

const fields = {
  circuit: ref("circuits.circuit", { onDelete: "cascade" }),
  term_side: choice({ A: "A", Z: "Z" }, { bare: true }),
  site: ref("dcim.site", { optional: true, onDelete: "protect" }),
  provider_network: ref("circuits.providernetwork", { optional: true, onDelete: "protect" }),
  port_speed: integer({ min: 0, max: speedMax, optional: true, help: "In kbit/s." }),
  upstream_speed: integer({ min: 0, max: speedMax, optional: true, help: "In kbit/s, if it differs." }),
  xconnect_id: text({ max: 50, optional: true }),
  pp_info: text({ max: 100, optional: true, help: "Patch panel and ports." }),
  description: text({ max: 200, optional: true }),
  mark_connected: flag({ default: false, help: "Whether to treat it as connected although it has no cable here." }),
  ...plugFields(),
  ...labels()
}

const uncabled = "Circuit terminations attached to a provider network may not be cabled."

const networkBond: Bond<RowOf<{ readonly fields: typeof fields }>> = {
  name: "network",
  fields: ["cable", "provider_network"],
  applies: "new.cable_id is not null",
  broken: "j.cable_id is not null and j.provider_network_id is not null",
  rule: uncabled,
  errors: () => ({ provider_network: [uncabled] }),
  others: []
}

/** One end of a circuit: at a site, where a cable may lead on, or in a network of a provider. */
export default defineObjectType({
  ...plug("circuits.circuittermination"),
  app: "circuits",
  name: "circuittermination",
  plural: "circuit-terminations",
  label: "circuit termination",
  groups: {
    Place: ["site", "provider_network"],
    Connection: ["port_speed", "upstream_speed", "xconnect_id", "pp_info", "mark_connected"]
  },
  fields,
  unique: [{ fields: ["circuit", "term_side"] }],
  functions: circuitFunctions,
  triggers: circuitTriggers,
  search: ["xconnect_id", "pp_info", "description"],
  ordering: ["circuit", "term_side"],
  brief: ["circuit", "term_side", "cable", "_occupied"],
  displayBy: ["site", "provider_network"],
  display: (row, view) => {
    const place =
      view.row("dcim.site", Number(row.site)) ?? view.row("circuits.providernetwork", Number(row.provider_network))
    return `Termination ${row.term_side}: ${String(place?.["name"] ?? `#${row.id}`)}`
  },
  *check(row) {
    const places = ["site", "provider_network"]
    if (row.site === null && row.provider_network === null) {
      const message = "A circuit termination must attach to either a site or a provider network."
      yield broken(places, { __all__: [message] })
    }
    if (row.site !== null && row.provider_network !== null) {
      const message = "A circuit termination cannot attach to both a site and a provider network."
      yield broken(places, { __all__: [message] })
    }
  },
  bonds: [plugBond, networkBond]
})
