/** Who sends a request. */
import type { Row } from "../inventory/Field.ts"

export interface Principal {
  /** The user's row; undefined for somebody who gave no credentials. */
  readonly user: Row | undefined
  /** False for a token that only reads. */
  readonly mayWrite: boolean
}

export const anonymous: Principal = { user: undefined, mayWrite: false }

export const username = (principal: Principal): string => String(principal.user?.["username"] ?? "")
