import type { Mapping } from "../Mapping.ts"
import { scoped } from "./Ipam.ts"

/** Sizes of disks are megabytes since the release that gave virtual machines a serial number. */
const inMegabytes = ["serial", "disk"]

const virtualization: ReadonlyArray<Mapping> = [
  { type: "virtualization.cluster", ...scoped },
  {
    type: "virtualization.virtualmachine",
    fields: { disk: [{ needs: inMegabytes, sql: "ceil(t.disk / 1000.0)::bigint" }] },
    homeless: {
      disk: { needs: inMegabytes, sql: "case when t.disk % 1000 <> 0 then t.disk end" }
    }
  },
  {
    type: "wireless.wirelesslan",
    dropped: ["scope_type_id", "scope_id"],
    homeless: {
      scope: {
        needs: ["scope_type_id"],
        sql: "case when t.scope_id is not null then jsonb_build_object('content_type', t.scope_type_id, 'id', t.scope_id) end"
      }
    }
  }
]

export default virtualization
