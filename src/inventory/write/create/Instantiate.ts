/**
 * Components of new devices and modules: copies of the templates of their types, in the transaction that creates them.
 *
 * A few statements make all of them, and no row of theirs passes through this process. Creating a device needs no right
 * to create components, as in NetBox; each component is an event of its own.
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Errors, Row } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { objectType } from "../../Registry.ts"
import { asTexts } from "../../derive/filter/Where.ts"
import type { Draft } from "../../derive/values/Draft.ts"
import { refusing } from "../WriteRefused.ts"
import {
  type Copying,
  adoptStatement,
  copyingsOf,
  countStatement,
  insertStatement,
  linkStatements,
  problemStatement
} from "./ComponentSql.ts"

/** Most components that one write creates: as many rows as an import file may have. */
const componentsMax = 100_000

/** Whether new objects get components: a restored device gets those that were deleted with it. */
export const Replicates = Context.Reference<boolean>("rackwire/inventory/Replicates", { defaultValue: () => true })

/** Creates the components of the rows that were just inserted from the drafts. */
export const instantiate = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  drafts: ReadonlyArray<Draft>
) {
  const { components } = type.creation
  if (components === undefined || rows.length === 0 || !(yield* Replicates)) return
  const sql = yield* SqlClient.SqlClient
  const flags = (name: string, usual: boolean) => drafts.map(({ values }) => String(values[name] ?? usual))
  const adopting = flags("adopt_components", false)
  const owners = [asTexts(rows.map(({ id }) => id)), flags("replicate_components", true), adopting]
  const [counts = {}] = yield* sql.unsafe<Readonly<Record<string, number>>>(countStatement(type, components), owners)
  const copyings = copyingsOf(type, components).filter(({ template }) => counts[template.id]! > 0)
  if (copyings.length === 0) return
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  if (sum > componentsMax) {
    const message = `The templates would make ${sum} components, and a request may create at most ${componentsMax}.`
    return yield* refusing(rows.length, [{ at: 0, errors: { [components.by]: [message] } }])
  }
  const adopts = adopting.includes("true")
  if (components.hasPlaceholder) {
    const problems = yield* sql.unsafe<Problem>(problemStatement(copyings), owners)
    if (problems.length > 0) {
      const conflicts = problems.map((problem) => ({ at: problem.at, errors: errorsOf(problem, copyings) }))
      return yield* refusing(rows.length, conflicts)
    }
  }
  for (const copying of copyings) {
    if (adopts) yield* sql.unsafe(adoptStatement(copying), owners)
    yield* sql.unsafe(insertStatement(copying), owners)
  }
  for (const statement of copyings.flatMap(linkStatements)) yield* sql.unsafe(statement, owners)
})

/** A name that a component of a module cannot have. */
interface Problem {
  readonly at: number
  readonly kind: "position" | "long" | "module" | "taken"
  readonly template: string
  readonly name: string
}

/** NetBox's texts, but for names that are too long, which NetBox does not check. */
const errorsOf = ({ kind, template, name }: Problem, copyings: ReadonlyArray<Copying>): Errors => {
  const { component } = copyings.find((copying) => copying.template === objectType(template))!
  const model = modelOf(component)
  const message = {
    position: "Cannot install module with placeholder values in a module bay with no position defined",
    long: `Ensure that names and labels of components have at most 64 characters: ${name}`,
    module: `Cannot adopt ${model} '${name}' as it already belongs to a module`,
    taken: `${model} - ${name} already exists`
  }[kind]
  return { __all__: [message] }
}

/** The name of a type's class in NetBox: `ConsolePort`. */
const modelOf = ({ label }: ObjectType): string =>
  label.replaceAll(/(?:^|\s+)(\w)/g, (_, letter: string) => letter.toUpperCase())
