/** The words and schemas of a method of a route, from which the description of the API is derived. */
import type { Schema } from "effect"

export interface Declared {
  readonly summary: string
  /** Parameters of the query, by name. */
  readonly query?: Readonly<Record<string, Schema.Constraint>>
  /** Whether the filters of the route's object type are parameters too. */
  readonly hasFilters?: boolean
  /** JSON of the request. */
  readonly body?: Schema.Constraint
  readonly isBodyOptional?: boolean
  /** Media types of a request that is a file. */
  readonly files?: ReadonlyArray<string>
  /** Status of an answer that grants the request; 200 if absent. */
  readonly status?: 200 | 201 | 202
  /** JSON of this answer; absent where it is no JSON. */
  readonly reply?: Schema.Constraint
}
