import type { FieldSource, Mapping } from "../Mapping.ts"

/** Racks of later releases may count their units from another number than 1. */
const startingUnit = "dcim_rack.starting_unit"

const end = (side: "a" | "b", value: string, kind: FieldSource["kind"]): ReadonlyArray<FieldSource> => [
  {
    needs: ["dcim_cabletermination.*"],
    sql: `(select ${value} from dcim_cabletermination e where e.cable_id = t.id and e.cable_end = '${side.toUpperCase()}')`,
    ...(kind !== undefined && { kind })
  }
]

const macAddress: Pick<Mapping, "fields" | "dropped"> = {
  fields: {
    mac_address: [
      {
        needs: ["primary_mac_address_id", "dcim_macaddress.*"],
        sql: "(select m.mac_address from dcim_macaddress m where m.id = t.primary_mac_address_id)"
      }
    ]
  },
  // The API shows the address itself too.
  dropped: ["primary_mac_address_id", "mac_address"]
}

const dcim: ReadonlyArray<Mapping> = [
  {
    type: "dcim.device",
    fields: {
      device_role: [{ needs: ["role_id"], sql: "t.role_id" }],
      position: [
        {
          needs: ["position", startingUnit],
          sql: "t.position - (select k.starting_unit - 1 from dcim_rack k where k.id = t.rack_id)"
        }
      ]
    }
  },
  {
    type: "dcim.rack",
    fields: { type: [{ needs: ["form_factor"], sql: "t.form_factor" }] },
    // A rack has copies of all values of its type.
    dropped: ["rack_type_id"],
    usual: { starting_unit: 1 }
  },
  {
    type: "dcim.rackreservation",
    fields: {
      units: [
        {
          needs: ["units", startingUnit],
          sql: "array(select u - k.starting_unit + 1 from unnest(t.units) u, dcim_rack k where k.id = t.rack_id order by 1)"
        }
      ]
    }
  },
  {
    type: "dcim.cable",
    fields: {
      a_type: [
        ...end("a", "min(e.termination_type_id)", "contentType"),
        { needs: ["termination_a_type_id"], sql: "t.termination_a_type_id", kind: "contentType" }
      ],
      b_type: [
        ...end("b", "min(e.termination_type_id)", "contentType"),
        { needs: ["termination_b_type_id"], sql: "t.termination_b_type_id", kind: "contentType" }
      ],
      a_terminations: [
        ...end("a", "array_agg(e.termination_id order by e.termination_id)", "ids"),
        { needs: ["termination_a_id"], sql: "array[t.termination_a_id]", kind: "ids" }
      ],
      b_terminations: [
        ...end("b", "array_agg(e.termination_id order by e.termination_id)", "ids"),
        { needs: ["termination_b_id"], sql: "array[t.termination_b_id]", kind: "ids" }
      ]
    },
    dropped: ["termination_a_type_id", "termination_b_type_id", "termination_a_id", "termination_b_id"]
  },
  {
    type: "dcim.interface",
    ...macAddress,
    leftovers: [
      {
        table: "dcim_macaddress",
        where:
          "not exists (select from dcim_interface i where i.primary_mac_address_id = t.id) and not exists (select from virtualization_vminterface i where i.primary_mac_address_id = t.id)"
      }
    ]
  },
  { type: "virtualization.vminterface", ...macAddress },
  { type: "dcim.inventoryitem", usual: { status: "active" } },
  // Computed from voltage, amperage and phase.
  { type: "dcim.powerfeed", dropped: ["available_power"] },
  // A column that nothing in NetBox reads.
  { type: "dcim.module", dropped: ["local_context_data"] }
]

export default dcim
