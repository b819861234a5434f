/** The options of the second factor: environment name, type, default, description. */
import * as kind from "./Setting.ts"
import { setting } from "./Setting.ts"

export const secondFactorOptions = {
  secondFactor: setting(
    "SECOND_FACTOR",
    kind.oneOf("optional", "superusers", "all"),
    "optional",
    "Users who need a [second factor](signin.md#a-second-factor) beside a password: none (`optional`), superusers, or all. A user without one has to set it up after the next login, or in the next request of a session that exists."
  ),
  secondFactorGroups: setting(
    "SECOND_FACTOR_GROUPS",
    kind.list,
    [],
    "Names of groups whose members need one as well, comma-separated.",
    ""
  )
} as const
