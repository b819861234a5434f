/**
 * Values whose grammar another stage owns: a template, a condition, a retry schedule. The inventory checks them when
 * they are saved without knowing those stages; `main.ts` brings the two together.
 */
import { Context } from "effect"
import type { Errors, GrammarName } from "./Field.ts"
import { type ObjectType, perType } from "./ObjectType.ts"

/** What is wrong with a value, or undefined where nothing is. `row` is the whole object as it would be written. */
export type Grammar = (value: unknown, row: Readonly<Record<string, unknown>>) => string | undefined

export class Grammars extends Context.Service<Grammars, Readonly<Record<GrammarName, Grammar>>>()(
  "rackwire/inventory/Grammars"
) {}

const governed = perType(({ fields }) =>
  Object.entries(fields).flatMap(([name, { grammar, readBy }]) =>
    grammar === undefined ? [] : [{ name, grammar, readBy }]
  )
)

/** Of the values that are written; the row that they become part of may say what they mean. */
export const grammarErrors = (
  type: ObjectType,
  values: Readonly<Record<string, unknown>>,
  row: Readonly<Record<string, unknown>>,
  grammars: Grammars["Service"]
): Errors => {
  const errors: Record<string, ReadonlyArray<string>> = {}
  for (const { name, grammar, readBy } of governed(type)) {
    const written = Object.hasOwn(values, name) || (readBy !== undefined && Object.hasOwn(values, readBy))
    const value = row[name] ?? null
    if (!written || value === null || value === "") continue
    const message = grammars[grammar](value, row)
    if (message !== undefined) errors[name] = [message]
  }
  return errors
}
