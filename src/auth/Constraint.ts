/** Constraints of an object permission, in which `$user` is the sender of the request. */
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { isDictionary } from "../inventory/Field.ts"
import { sqlStateOf } from "../postgres/Postgres.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { registry } from "../inventory/Registry.ts"
import { isDeeper, writtenNestingMax } from "../inventory/Unreadable.ts"
import { constraint } from "../inventory/derive/filter/Constraint.ts"
import type { Filtered } from "../inventory/derive/filter/Filter.ts"

const token = "$user"

/** The condition on objects of the type that the constraints mean for the user of this id; or errors. */
export const constraintFor = (type: ObjectType, constraints: unknown, user: number): Filtered =>
  isDeeper(constraints, writtenNestingMax)
    ? { errors: { constraints: [`Constraints are nested more than ${writtenNestingMax} levels deep.`] } }
    : constraint(type, withUser(constraints, user))

const withUser = (value: unknown, user: number): unknown => {
  if (value === token) return user
  if (Array.isArray(value)) return value.map((each) => withUser(each, user))
  if (!isDictionary(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withUser(each, user)]))
}

/** Returns the fault of constraints for objects of these types, or undefined. */
export const constraintsProblem = (constraints: unknown, types: ReadonlyArray<string>): string | undefined => {
  // Somebody who writes an empty list may mean everything.
  if (Array.isArray(constraints) && constraints.length === 0) return "An empty list allows no object; null allows all."
  for (const id of types) {
    const type = registry.get(id)
    const compiled = type === undefined ? undefined : constraintFor(type, constraints, 0)
    if (compiled !== undefined && "errors" in compiled) return Object.values(compiled.errors).flat().join(" ")
  }
  return undefined
}

/** The regular expressions of constraints. */
const patternsIn = (constraints: unknown): ReadonlyArray<string> =>
  [constraints]
    .flat()
    .flatMap((document) =>
      Object.entries(isDictionary(document) ? document : {}).flatMap(([name, value]) =>
        /__i?regex$/.test(name) && typeof value === "string" ? [value] : []
      )
    )

/** The fault of a regular expression that Postgres, which evaluates constraints, refuses. */
export const patternsProblem = (sql: SqlClient.SqlClient, constraints: unknown): Effect.Effect<string | undefined> =>
  Effect.findFirst(patternsIn(constraints), (pattern) =>
    sql`select '' ~ ${pattern} as matches`.pipe(
      Effect.as(false),
      Effect.catchIf(
        (error) => sqlStateOf(error) === invalidPattern,
        () => Effect.succeed(true)
      ),
      Effect.orDie
    )
  ).pipe(
    Effect.map(Option.match({ onNone: () => undefined, onSome: (pattern) => `Invalid regular expression: ${pattern}` }))
  )

/** SQLSTATE of a regular expression that does not compile. */
const invalidPattern = "2201B"
