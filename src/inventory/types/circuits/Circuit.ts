import type ProviderAccount from "./ProviderAccount.ts"
import { broken, choice, contactPaths, date, defineObjectType, integer, labels, ref, text } from "../../ObjectType.ts"

const termination = () =>
  ref("circuits.circuittermination", {
    optional: true,
    onDelete: "set null",
    wire: "read",
    shows: ["site", "provider_network", "port_speed", "upstream_speed", "xconnect_id", "description"]
  })

/** Steps of filters from a circuit to the sites of its ends. */
const sites = "<circuits.circuittermination.circuit/site"

export default defineObjectType({
  app: "circuits",
  name: "circuit",
  plural: "circuits",
  units: { commit_rate: "kbit/s" },
  fields: {
    cid: text({ max: 100 }),
    provider: ref("circuits.provider", { onDelete: "protect" }),
    provider_account: ref("circuits.provideraccount", { optional: true, onDelete: "protect" }),
    type: ref("circuits.circuittype", { onDelete: "protect" }),
    status: choice(
      {
        planned: "Planned",
        provisioning: "Provisioning",
        active: "Active",
        offline: "Offline",
        deprovisioning: "Deprovisioning",
        decommissioned: "Decommissioned"
      },
      { default: "active" }
    ),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    install_date: date(),
    termination_date: date(),
    commit_rate: integer({ min: 0, max: 2_147_483_647, optional: true, help: "In kbit/s." }),
    description: text({ max: 200, optional: true }),
    // Triggers keep these (shared/cable/CircuitSql.ts).
    termination_a: termination(),
    termination_z: termination(),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["provider", "cid"] }, { fields: ["provider_account", "cid"] }],
  paths: {
    ...contactPaths,
    provider_network_id: "<circuits.circuittermination.circuit/provider_network_id",
    site: [sites],
    region: [`${sites}/region`],
    site_group: [`${sites}/group`]
  },
  search: ["cid", "description", "comments"],
  ordering: ["provider", "provider_account", "cid"],
  brief: ["cid"],
  display: (row) => String(row.cid),
  looksAt: ["provider_account"],
  *check(row, find) {
    const account = find<typeof ProviderAccount>("circuits.provideraccount", row.provider_account)
    if (account === undefined || account.provider === row.provider) return
    const message = "The assigned account must belong to the assigned provider."
    yield broken(["provider", "provider_account"], { provider_account: [message] })
  }
})
