/** The value `config_context` of devices and virtual machines: their config contexts and their local context, merged. */
import type { DerivedValue } from "../Derived.ts"

export const configContext: DerivedValue = {
  shape: { kind: "json" },
  isApart: true,
  of: (row, view) => view.configContext?.(row.id, row["local_context_data"])
}
