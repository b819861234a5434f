/** Several pages of objects of different types in one statement. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance, cleared } from "../Clearance.ts"
import type { Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { readStatement } from "../derive/represent/ReadStatement.ts"
import { after } from "../derive/filter/Where.ts"
import { type Beside, type JsonRow, type Page, pageQuery, sorted } from "./Read.ts"

interface PageOfType {
  readonly type: ObjectType
  readonly page: Page
  /** The fields whose references are read along; by default all. */
  readonly fields?: ReadonlyArray<string>
}

export interface Read {
  readonly rows: ReadonlyArray<Row>
  readonly beside: Beside
}

/** Reads each page as `readPage` does, all in one statement. */
export const readTogether = Effect.fnUntraced(function* (pages: ReadonlyArray<PageOfType>) {
  if (pages.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const { where } = yield* Clearance
  const parameters: Array<unknown> = []
  const parts: Array<string> = []
  for (const [at, { type, page, fields }] of pages.entries()) {
    const query = pageQuery(type, page, yield* cleared(type, "view"))
    const statement = readStatement(type, query, (target) => where(target, "view"), fields ? { fields } : {})
    parts.push(`select ${at} as page, s.type, s.row from (${after(parameters.length, statement)}) s`)
    parameters.push(...statement.parameters)
  }
  const found = yield* sql.unsafe<JsonRow & { readonly page: number; readonly type: string }>(
    parts.join(" union all "),
    parameters
  )
  const byPage = Map.groupBy(found, ({ page }) => page)
  const read: Array<Read> = []
  for (const [at, { type }] of pages.entries()) read.push(yield* sorted(type, byPage.get(at) ?? []))
  return read as ReadonlyArray<Read>
})
