/** The sender of a request. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RowOf } from "../inventory/Field.ts"
import type User from "../inventory/types/users/User.ts"

export type UserRow = RowOf<typeof User>

/** Actions that somebody may do to objects of some types. */
export interface Permission {
  /** `dcim.site`. */
  readonly types: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  /** Which objects (inventory/derive/filter/Constraint.ts); null for all. */
  readonly constraints: unknown
}

export interface Principal {
  /** Undefined without credentials. */
  readonly user: UserRow | undefined
  /** False for a token that only reads. */
  readonly mayWrite: boolean
  /** Id of the token, if the sender has one. */
  readonly token?: number
  /** Permissions of every user, of this one, and of the user's groups. */
  readonly permissions: ReadonlyArray<Permission>
  /** Key of the session, if the sender has one. */
  readonly session?: string
  /** Seconds that the session lasts, if it began with this request. */
  readonly begun?: number
  /** Whether the session began with a password of this service, and not by a provider or a proxy. */
  readonly isLocal?: boolean
  /** Whether the user of a local session has to give the password or a second factor again before critical changes. */
  readonly mustConfirm?: boolean
  /** Whether the options require a second factor of the user, who has none. */
  readonly mustSetUpFactor?: boolean
  /** Whether the user still has the generated password. */
  readonly mustChangePassword?: boolean
}

export const anonymous: Principal = { user: undefined, mayWrite: false, permissions: [] }

/** Stores how a user wants to see pages (`preferences` of UserRow). */
export const keepPreferences = (user: number, preferences: object) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update users_user set preferences = ${JSON.stringify(preferences)}::jsonb where id = ${user}::bigint`
  )

export const username = (principal: Principal): string => principal.user?.username ?? ""
