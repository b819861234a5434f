import type { CountSql } from "../Counted.ts"

/** How many FHRP groups an interface of the type is in. */
export const fhrpCount =
  (type: string): CountSql =>
  (_, types, from) =>
    `(select count(*) from ${from(types.get("ipam.fhrpgroupassignment")!)} c where c.interface_type = '${type}' and c.interface_id = t.id)`
