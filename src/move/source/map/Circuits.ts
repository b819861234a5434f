import type { Mapping } from "../Mapping.ts"

const scoped = ["termination_type_id", "_site_id"]

const circuits: ReadonlyArray<Mapping> = [
  // Kept by the terminations.
  { type: "circuits.circuit", dropped: ["termination_a_id", "termination_z_id"] },
  {
    type: "circuits.circuittermination",
    fields: {
      site: [{ needs: scoped, sql: "t._site_id" }],
      provider_network: [{ needs: ["_provider_network_id"], sql: "t._provider_network_id" }]
    },
    dropped: ["termination_type_id", "termination_id"],
    homeless: {
      termination: {
        needs: scoped,
        sql: "case when t._location_id is not null then jsonb_build_object('location', t._location_id) when t._site_id is null and t._provider_network_id is null and t.termination_id is not null then jsonb_build_object('content_type', t.termination_type_id, 'id', t.termination_id) end"
      }
    }
  }
]

export default circuits
