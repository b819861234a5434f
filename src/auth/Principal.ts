/** Who sends a request. */
import type { Row } from "../inventory/Field.ts"

/** Which objects of which types somebody may do what to. */
export interface Permission {
  /** `dcim.site`. */
  readonly types: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  /** Which objects (inventory/derive/filter/Constraint.ts); null for all. */
  readonly constraints: unknown
}

export interface Principal {
  /** The user's row; undefined for somebody who gave no credentials. */
  readonly user: Row | undefined
  /** False for a token that only reads. */
  readonly mayWrite: boolean
  /** What was granted to every user, to this one, and to the user's groups. */
  readonly permissions: ReadonlyArray<Permission>
  /** Key of the session, for one who came with it. */
  readonly session?: string
  /** Whether the password of the session's user is the one that was generated. */
  readonly mustChangePassword?: boolean
}

export const anonymous: Principal = { user: undefined, mayWrite: false, permissions: [] }

export const username = (principal: Principal): string => String(principal.user?.["username"] ?? "")
