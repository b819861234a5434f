import type { Mapping } from "../Mapping.ts"

/** The site of objects with a scope, and what their scope says beside it. */
export const scoped: Pick<Mapping, "fields" | "dropped" | "homeless"> = {
  fields: { site: [{ needs: ["scope_type_id", "_site_id"], sql: "t._site_id" }] },
  dropped: ["scope_type_id", "scope_id"],
  homeless: {
    scope: {
      needs: ["scope_type_id", "_site_id"],
      sql: "case when t.scope_id is not null and (t._site_id is null or t._location_id is not null) then jsonb_build_object('content_type', t.scope_type_id, 'id', t.scope_id) end"
    }
  }
}

const ipam: ReadonlyArray<Mapping> = [
  { type: "ipam.prefix", ...scoped },
  // Computed from the addresses.
  { type: "ipam.iprange", dropped: ["size"] },
  {
    type: "ipam.vlangroup",
    fields: {
      min_vid: [{ needs: ["vid_ranges"], sql: "(select min(lower(r)) from unnest(t.vid_ranges) r)" }],
      max_vid: [{ needs: ["vid_ranges"], sql: "(select max(upper(r)) - 1 from unnest(t.vid_ranges) r)" }]
    },
    dropped: ["vid_ranges"],
    homeless: {
      vid_ranges: {
        needs: ["vid_ranges"],
        sql: "case when cardinality(t.vid_ranges) > 1 then to_jsonb(t.vid_ranges::text[]) end"
      }
    }
  },
  { type: "ipam.l2vpn", tables: ["vpn_l2vpn"] },
  { type: "ipam.l2vpntermination", tables: ["vpn_l2vpntermination"] }
]

export default ipam
