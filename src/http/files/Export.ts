/**
 * `GET …/export/?format=csv|json|yaml`: all objects that match the query, as a file that an import can read.
 *
 * References are names, so that any inventory can read the file. With `?references=id` they are ids, and each row has
 * its own id: importing such a file changes the objects of this inventory.
 *
 * In CSV an apostrophe precedes text that a spreadsheet would run as a formula, unless `?escape_formulas=false`.
 * The file is streamed page by page with a cursor, so memory grows neither with the table nor with its
 * objects.
 */
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { type ScalarTag, stringify } from "yaml"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { ExactNumber, isNumber } from "../../postgres/ExactJson.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import type { Field, Row } from "../../inventory/Field.ts"
import { type ObjectType, fieldOf } from "../../inventory/ObjectType.ts"
import { holdersOf } from "../../inventory/name/Holders.ts"
import { namesFor } from "../../inventory/name/NamesOfObjects.ts"
import { customFieldsOf, listPortion } from "../../inventory/read/Read.ts"
import { type Flat, cellOf, flatFields, flatOf, nullCell } from "../../inventory/derive/represent/Flat.ts"
import { namedFields, namedFlatOf } from "../../inventory/derive/represent/NamedFlat.ts"
import { type Where, allOf } from "../../inventory/derive/filter/Where.ts"
import { csvLine } from "./Csv.ts"
import { withGuard } from "./Formula.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { from } from "../wire/Paging.ts"
import type { Handler } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { filteredBy, refuseMissing } from "../query/Strict.ts"
import { declaring } from "../declare/Endpoint.ts"
import { described, flag, words } from "../declare/Parts.ts"
import { isSet, parameterOf } from "../query/Parameter.ts"

/** Most objects of a page, and of the first one: pages of large objects have fewer. */
const pageSize = 500
const firstPageSize = 100

interface Format {
  readonly type: string
  readonly begin: (type: ObjectType, references: References) => string
  /** `escaped`: text that a spreadsheet would run as a formula is escaped. */
  readonly row: (type: ObjectType, flat: Flat, escaped: boolean) => string
  readonly between: string
  readonly end: string
}

const referenceForms = ["name", "id"] as const
type References = (typeof referenceForms)[number]

/** Writes a number with all its digits. */
const exactNumber: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => value instanceof ExactNumber,
  resolve: (text) => new ExactNumber(text),
  stringify: ({ value }) => String(value)
}

const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    csv: {
      type: "text/csv",
      begin: (type, references) =>
        csvLine(references === "name" ? namedFields(type) : ["id", ...flatFields(type).map(idColumn(type))]),
      row: (type, flat, escaped) =>
        csvLine(Object.entries(flat).map(([name, value]) => csvCell(type.fields[name], value, escaped))),
      between: "",
      end: ""
    },
    json: {
      type: "application/json",
      begin: () => "[",
      row: (_, flat) => `\n${JSON.stringify(flat)}`,
      between: ",",
      end: "\n]\n"
    },
    yaml: {
      type: "application/yaml",
      begin: (type) => `# ${type.plural}\n`,
      row: (_, flat) =>
        stringify([flat], { aliasDuplicateObjects: false, customTags: (tags) => [exactNumber, ...tags] }),
      between: "",
      end: ""
    }
  } satisfies Readonly<Record<string, Format>>)
)

/** `site.id`: in a column `site`, an id could be a name as well. */
const idColumn =
  (type: ObjectType) =>
  (name: string): string =>
    fieldOf(type, name).reference === undefined ? name : `${name}.id`

/**
 * A number is never escaped, not even a negative one. A text in a field of JSON is written as JSON, and no author as
 * `null`: an empty cell would be the author of the import.
 */
const csvCell = (field: Field | undefined, value: unknown, escaped: boolean): string => {
  if (value === null && field?.byAuthor === true) return nullCell
  const cell = field?.type === "jsonb" && typeof value === "string" ? JSON.stringify(value) : cellOf(value)
  return escaped && !isNumber(value) ? withGuard(cell) : cell
}

export const exportTypes = Array.from(formats.values(), ({ type }) => type)

const query = {
  format: described(words("csv", "json", "yaml"), "Without it by the header `Accept`; csv if that allows any."),
  references: described(words(...referenceForms), "How the file refers to objects."),
  escape_formulas: described(flag, "Whether texts that a spreadsheet would evaluate are escaped; true without it.")
}

export const exportObjects = (type: ObjectType): Handler =>
  declaring({ summary: `Export ${type.label}s as a file, with the filters of their list`, query }, (request) =>
    Effect.gen(function* () {
      const asked = parameterOf(request.url.searchParams, "format")
      const [accepted = "csv"] = [...formats].find(([, { type }]) => type === request.accepted) ?? []
      const name = asked ?? accepted
      const format = formats.get(name)
      if (format === undefined) {
        const body = { format: [`Use one of ${[...formats.keys()].join(", ")}.`] }
        return yield* new HttpRefused({ reason: "InvalidQuery", body })
      }
      const references = yield* referencesIn(type, request)
      const { where, named } = yield* filteredBy(type, request)
      yield* refuseMissing(named, 0)
      const sql = yield* SqlClient.SqlClient
      const clearance = yield* Clearance
      const escaped = yield* isSet(request, "escape_formulas", true)
      // Read before the answer begins, so that a query that fails is still answered with an error.
      const first = yield* pageFrom(type, where, 0)
      const body = pagesOf(type, where, first).pipe(
        Stream.mapEffect((rows) =>
          Effect.flatMap(flatOfRow(type, rows, references), (flat) =>
            mapInSlices(rows, (row) => format.row(type, flat(row), escaped))
          )
        ),
        Stream.map((rows, at) => (at === 0 ? "" : format.between) + rows.join(format.between)),
        (pages) => Stream.concat(Stream.make(format.begin(type, references)), pages),
        (pages) => Stream.concat(pages, Stream.make(format.end)),
        Stream.provideService(SqlClient.SqlClient, sql),
        Stream.provideService(Clearance, clearance)
      )
      const headers = { "content-disposition": `attachment; filename="${type.plural}.${name}"` }
      return { status: 200, stream: { type: format.type, content: body }, headers }
    })
  )

interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly isCut: boolean
  /** Most objects that it could have. */
  readonly limit: number
}

/** How the file refers to objects. Records are never imported: they have ids. Fails with 400. */
const referencesIn = (type: ObjectType, { url }: Request) => {
  const usual = type.isReadOnly ? "id" : "name"
  const asked = parameterOf(url.searchParams, "references")
  const known = asked === undefined ? usual : referenceForms.find((each) => each === asked)
  const body = { references: [`Use one of ${referenceForms.join(", ")}.`] }
  return known === undefined ? new HttpRefused({ reason: "InvalidQuery", body }) : Effect.succeed(known)
}

/** How rows of a page are written: it reads the names of the objects that they refer to. */
const flatOfRow = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>, references: References) {
  if (references === "id") return (row: Row) => flatOf(type, row)
  const customFields = yield* customFieldsOf(type)
  const holders = yield* holdersOf(
    type,
    rows.map(({ id }) => id)
  )
  const others = [...holders.values()].map((each) => [each.type, new Set([each.id])] as const)
  const nameOf = yield* namesFor(type, rows, customFields, others)
  return (row: Row) => namedFlatOf(type, row, { nameOf, customFields, holders })
})

export const pageFrom = (type: ObjectType, where: Where, start: number, limit = firstPageSize) =>
  Effect.map(listPortion(type, { where: allOf(where, from(start)), limit, offset: 0 }), (portion): Page => ({
    ...portion,
    limit
  }))

export const pagesOf = (type: ObjectType, where: Where, first: Page) =>
  Stream.paginate(first, ({ rows, isCut, limit }) => {
    const last = rows.at(-1)
    const isLastPage = last === undefined || (!isCut && rows.length < limit)
    // Postgres makes the JSON of every object of a page, also of those that are cut off.
    const nextLimit = isCut ? 2 * rows.length : Math.min(2 * limit, pageSize)
    const next = isLastPage ? Effect.succeedNone : Effect.asSome(pageFrom(type, where, last.id + 1, nextLimit))
    return Effect.map(next, (following) => [last === undefined ? [] : [rows], following] as const)
  })
