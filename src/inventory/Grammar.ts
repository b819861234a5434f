/**
 * Values that have a grammar. A field names its check itself, or by the name by which the stage that owns the grammar
 * registers it, as for a template, a condition or a retry schedule: the inventory knows none of these stages.
 */
import { Context, Effect } from "effect"
import { mapInSlices } from "../eventloop/Slices.ts"
import { type Errors, type Field, type GrammarOf, emptyRecord } from "./Field.ts"
import { type ObjectType, perType } from "./ObjectType.ts"

type Problem = string | undefined

/**
 * Returns what is wrong with a value, or undefined if it is valid. `row` is the whole object as it would be written.
 * A check that needs input or output returns an effect.
 */
export type Grammar = (value: unknown, row: Readonly<Record<string, unknown>>) => Problem | Effect.Effect<Problem>

type GrammarTable = Readonly<Record<string, Grammar>>

/** The registered grammars, by their names. */
export class Grammars extends Context.Service<Grammars, GrammarTable>()("rackwire/inventory/Grammars") {
  /** Fails where a field of these types names a grammar that is not registered. */
  static readonly register = (types: Iterable<ObjectType>, grammars: GrammarTable): Grammars["Service"] => {
    for (const type of types) {
      const wrong = governed(type).find(({ grammar }) => checkOf(grammar, grammars) === undefined)
      if (wrong === undefined) continue
      throw new Error(`${type.id}.${wrong.name} has a grammar that no stage registers: ${String(wrong.grammar)}`)
    }
    return Grammars.of(grammars)
  }
}

/** Grammars of values that are ids of object types, or lists of them. */
const typeGrammars: ReadonlySet<unknown> = new Set(["objectTypes", "anyTypes", "webhookTypes"])

/** Whether the values of the field are ids of object types. */
export const holdsTypes = ({ grammar }: Pick<Field, "grammar">): boolean => typeGrammars.has(grammar)

const checkOf = (grammar: GrammarOf, grammars: GrammarTable): Grammar | undefined => {
  if (typeof grammar === "function") return grammar
  return Object.hasOwn(grammars, grammar) ? grammars[grammar] : undefined
}

const governed = perType(({ fields }) =>
  Object.entries(fields).flatMap(([name, { grammar, readBy }]) =>
    grammar === undefined ? [] : [{ name, grammar, readBy }]
  )
)

interface GrammarInput {
  readonly values: Readonly<Record<string, unknown>>
  /** The whole object as it would be written; other fields may determine how the values are read. */
  readonly row: Readonly<Record<string, unknown>>
}

/** The errors of the written values, one entry per object. */
export const grammarErrors = Effect.fnUntraced(function* (type: ObjectType, written: ReadonlyArray<GrammarInput>) {
  if (governed(type).length === 0) return written.map((): Errors => ({}))
  const grammars = yield* Grammars
  const found = yield* mapInSlices(written, (each) => problemsOf(type, each, grammars))
  const errors: Array<Errors> = []
  for (const problems of found) {
    const own = emptyRecord<ReadonlyArray<string>>()
    for (const [name, problem] of problems) {
      // Each may take some milliseconds.
      const message = typeof problem === "string" ? problem : yield* Effect.andThen(Effect.yieldNow, problem)
      if (message !== undefined) own[name] = [message]
    }
    errors.push(own)
  }
  return errors
})

const problemsOf = (type: ObjectType, { values, row }: GrammarInput, grammars: Grammars["Service"]) =>
  governed(type).flatMap(({ name, grammar, readBy }) => {
    const isWritten = Object.hasOwn(values, name) || (readBy !== undefined && Object.hasOwn(values, readBy))
    const value = row[name] ?? null
    if (!isWritten || value === null || value === "") return []
    const problem = checkOf(grammar, grammars)?.(value, row)
    return problem === undefined ? [] : [[name, problem] as const]
  })
