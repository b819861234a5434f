/** Lists of objects of one of several types, as a side of a cable is one. */
import type { Reference, Row } from "../Field.ts"

type Naming = Pick<Reference, "type" | "ends">

/** The types of objects that a reference may name. */
export const typesNamed = ({ type, ends }: Naming): ReadonlyArray<string> => ends?.types ?? [type]

/** The type of the objects that a row names in a reference. */
export const typeNamed = ({ type, ends }: Naming, row: Row | undefined): string =>
  ends === undefined ? type : String(row?.[ends.typeIn] ?? type)
