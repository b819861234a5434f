/** NetBox's fields of objects that a data source keeps up to date: Rackwire has no data sources. */
import { nothing } from "../Derived.ts"

export const synchronised = {
  data_source: nothing,
  data_path: { shape: { kind: "text" }, of: () => "" },
  data_file: nothing,
  data_synced: nothing
} as const
