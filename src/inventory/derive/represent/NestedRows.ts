/** Objects, and everything that their brief representations read, as parts of one statement. Pure. */
import { literal } from "../../../postgres/Literal.ts"
import { type Bind, type Visible, isNothing, visibleRows } from "../filter/Where.ts"
import { type Pointing, depthMax, pointingFrom } from "./ReadStatement.ts"
import { nestedFields } from "./Representation.ts"

/** Objects to read; `fields`: the references that are followed, by default those of the brief representation. */
export interface Root extends Pointing {
  readonly fields?: ReadonlyArray<string>
}

/** Tables of a `with`, and the queries of their rows: `type`, an object type, and `row`. */
export interface NestedRows {
  readonly tables: ReadonlyArray<string>
  readonly branches: ReadonlyArray<string>
}

/** Reads visible objects only, also of types of which only some are visible. */
export const nestedRows = (roots: ReadonlyArray<Root>, visible: Visible, bind: Bind): NestedRows => {
  const tables: Array<string> = []
  const branches: Array<string> = []
  let wanted = roots
  for (let depth = 0; depth < depthMax && wanted.length > 0; depth++) {
    const next: Array<Root> = []
    for (const [target, each] of Map.groupBy(wanted, ({ target }) => target)) {
      if (isNothing(visible(target))) continue
      const name = `nested${tables.length}`
      const ids = each.map(({ ids }) => ids).join(" union all ")
      const rows = visibleRows(target, visible, bind)
      tables.push(`${name} as materialized (select r.* from ${rows} r where r.id = any (array(${ids})))`)
      branches.push(`select ${literal(target.id)} as type, row_to_json(r) as row from ${name} r`)
      const fields = new Set(each.flatMap(({ fields }) => fields ?? nestedFields(target)))
      next.push(...pointingFrom(target, [...fields], name))
    }
    wanted = next
  }
  return { tables, branches }
}
