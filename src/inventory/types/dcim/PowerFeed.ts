import { broken, choice, defineObjectType, flag, integer, labels, ref, text } from "../../ObjectType.ts"
import { endpoint, endpointFields, plugBond } from "../../shared/Cabled.ts"
import type PowerPanel from "./PowerPanel.ts"
import type Rack from "./Rack.ts"

export default defineObjectType({
  ...endpoint("dcim.powerfeed"),
  app: "dcim",
  name: "powerfeed",
  plural: "power-feeds",
  panels: [{ kind: "trace" }],
  units: { voltage: "V", amperage: "A", max_utilization: "%" },
  menu: "Power",
  groups: {
    Electricity: ["supply", "phase", "voltage", "amperage", "max_utilization"]
  },
  label: "power feed",
  fields: {
    power_panel: ref("dcim.powerpanel", { onDelete: "protect" }),
    rack: ref("dcim.rack", { optional: true, onDelete: "protect" }),
    name: text({ max: 100 }),
    status: choice(
      { offline: "Offline", active: "Active", planned: "Planned", failed: "Failed" },
      { default: "active" }
    ),
    type: choice({ primary: "Primary", redundant: "Redundant" }, { default: "primary" }),
    supply: choice({ ac: "AC", dc: "DC" }, { default: "ac" }),
    phase: choice({ "single-phase": "Single phase", "three-phase": "Three-phase" }, { default: "single-phase" }),
    voltage: integer({ min: -32_768, max: 32_767, default: 120 }),
    amperage: integer({ min: 1, max: 32_767, default: 15 }),
    max_utilization: integer({ min: 1, max: 100, default: 80, help: "In percent." }),
    mark_connected: flag({ default: false }),
    ...endpointFields(),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["power_panel", "name"] }],
  search: ["name", "description", "comments"],
  ordering: ["power_panel", "name"],
  brief: ["name", "cable", "_occupied"],
  bonds: [plugBond],
  looksAt: ["power_panel", "rack"],
  *check(row, find) {
    const panel = find<typeof PowerPanel>("dcim.powerpanel", row.power_panel)
    const rack = find<typeof Rack>("dcim.rack", row.rack)
    if (rack !== undefined && rack.site !== panel?.site) {
      const [shown, fed] = [String(rack.name), String(panel?.name)]
      const message = `Rack ${shown} and power panel ${fed} are in different sites`
      yield broken(["rack", "power_panel"], { __all__: [message] })
    }
    if (Number(row.voltage) < 0 && row.supply === "ac") {
      yield broken(["voltage", "supply"], { voltage: ["Voltage cannot be negative for AC supply"] })
    }
  }
})
