/**
 * The parts that all components of devices share: fields, names, the place of their device, and the rule that they stay
 * with it. Ports, interfaces, bays and inventory items are components.
 */
import type { Row } from "../Field.ts"
import type { Panel } from "../page/Panel.ts"
import { type Bond, type RuleViolation, broken } from "../Rule.ts"
import { endpoint, endpointFields, plug, plugBond, plugFields } from "./Cabled.ts"
import { ref } from "../field/Reference.ts"
import { flag } from "../field/Scalar.ts"
import { text } from "../field/Text.ts"

export const componentFields = () => ({
  device: ref("dcim.device", { onDelete: "cascade" }),
  name: text({ max: 64 }),
  label: text({ max: 64, optional: true, help: "The text that is printed on the device." }),
  description: text({ max: 200, optional: true })
})

/** The fields of a component that a module may have brought: it is deleted with the module. */
const modularFields = () => ({
  ...componentFields(),
  module: ref("dcim.module", { optional: true, onDelete: "cascade", shows: ["device", "module_bay"] })
})

/** The fields of a component with a socket, through which paths lead. */
export const panelPortFields = () => ({ ...modularFields(), ...markFields(), ...plugFields() })

/** The fields of a component with a socket at which paths end. */
export const portFields = () => ({ ...modularFields(), ...markFields(), ...endpointFields() })

const markFields = () => ({
  mark_connected: flag({ default: false, help: "Whether to treat it as connected although it has no cable here." })
})

/** The components that a module may bring, and that an inventory item may be part of. */
export const modularComponents = [
  ...["dcim.consoleport", "dcim.consoleserverport", "dcim.frontport", "dcim.interface"],
  ...["dcim.poweroutlet", "dcim.powerport", "dcim.rearport"]
]

/** A component as far as its names are concerned. */
interface Named {
  readonly name: string
  readonly label: string
}

/** The parts of a declaration that all components share. */
export const component = {
  paths: {
    // As in NetBox, devices in locations below do not count here.
    location: "device/=location",
    device_type: "device/device_type/model",
    device_type_id: "device/device_type_id"
  },
  search: ["name", "label", "description"],
  ordering: ["device", "name"],
  brief: ["device", "name"],
  display: ({ name, label }: Named): string => (label === "" ? name : `${name} (${label})`)
}

interface OfDevice extends Row {
  readonly device: number
}

/** The rule that a component stays with its device. */
export function* staysWithDevice(row: OfDevice, _: unknown, before: OfDevice | undefined): Iterable<RuleViolation> {
  if (before !== undefined && before.device !== row.device) {
    yield broken(["device"], { device: ["Components cannot be moved to a different device."] })
  }
}

/** The parts of a declaration that components share whose name is unique in their device, and which stay with it. */
export const fixedComponent = (type: string) => {
  const table = type.replace(".", "_")
  return {
    ...component,
    unique: [{ fields: ["device", "name"] }],
    check: staysWithDevice,
    functions: [
      `create or replace function rackwire_keep_component() returns trigger language plpgsql as $$
     begin
       raise exception '% % cannot be moved to a different device', tg_argv[0], new.id using errcode = 'check_violation';
     end $$`
    ],
    triggers: [
      {
        name: `${table}_keep`,
        sql: `before update of device_id on ${table} for each row when (new.device_id <> old.device_id)
        execute function rackwire_keep_component('${type}')`
      }
    ]
  }
}

const ofPort = {
  panels: [{ kind: "trace" }] satisfies ReadonlyArray<Panel>,
  brief: ["device", "name", "cable", "_occupied"],
  bonds: [plugBond]
}

/** The columns of the lists of ports; `far` are those at the other end. */
const listedBy = (far: string) => ["device", "type", far, "cable", "description"]

/** The same for components with a socket. */
export const fixedPanelPort = (type: string) => ({
  ...{ ...fixedComponent(type), ...plug(type), ...ofPort },
  listed: listedBy("link_peers")
})
export const fixedPort = (type: string) => ({
  ...{ ...fixedComponent(type), ...endpoint(type), ...ofPort },
  listed: listedBy("connected_endpoints")
})

/**
 * The bond between a component and another one of the same device that it names. Components stay with their device, so
 * only the component itself can break it.
 */
export const ofSameDevice = (name: string, target: string, message: (name: string) => string): Bond => ({
  name,
  fields: [name, "device"],
  applies: `new.${name}_id is not null`,
  broken: `exists (select from ${target.replace(".", "_")} k where k.id = j.${name}_id and k.device_id <> j.device_id)`,
  rule: `The ${name.replaceAll("_", " ")} of a component is one of the same device.`,
  errors: (row, find) => ({ [name]: [message(String(find(target, row[name] as number)?.["name"]))] }),
  others: []
})
