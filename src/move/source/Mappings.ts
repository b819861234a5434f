/** The mappings: files under `map/` export lists of them. The folder is scanned, so a new file needs no registration. */
import { entriesOf, modulesBelow } from "../../Folder.ts"
import type { Mapping } from "./Mapping.ts"

const folder = new URL("./map/", import.meta.url)

/** The mappings by object type. */
export const mappings: ReadonlyMap<string, ReadonlyArray<Mapping>> = Map.groupBy(
  await entriesOf<Mapping>(folder, modulesBelow(folder)),
  ({ type }) => type
)
