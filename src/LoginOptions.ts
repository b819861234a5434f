/** The options of logins, sessions and passwords: environment name, type, default, description. */
import { Duration } from "effect"
import * as kind from "./Setting.ts"
import { optional, setting } from "./Setting.ts"

export const loginOptions = {
  loginRequired: setting(
    "LOGIN_REQUIRED",
    kind.yesOrNo,
    false,
    "Whether every page and endpoint requires a login, exempt object types included. Logging in, provisioning a token and `/health/` stay open."
  ),
  loginTimeout: setting(
    "LOGIN_TIMEOUT",
    kind.duration,
    Duration.days(14),
    "Lifetime of a browser session, whether it is used or not.",
    "14 days"
  ),
  loginIdleTimeout: optional(
    "LOGIN_IDLE_TIMEOUT",
    kind.duration,
    "How long a browser session lasts without use. It ends within a minute after that. Pages that update themselves do not use it.",
    "LOGIN_TIMEOUT alone"
  ),
  passwordWords: setting(
    "PASSWORD_WORDS",
    kind.list,
    [],
    "Names of your organisation, products and places, comma-separated. They do not count for the 8 characters that a new password has at least, as `rackwire`, `netbox` and names of the user do not.",
    ""
  ),
  loginAttemptsPerUser: setting(
    "LOGIN_ATTEMPTS_PER_USER",
    kind.integer(1),
    10,
    "Wrong passwords for one user name within five minutes before further attempts have to wait."
  ),
  loginAttemptsPerAddress: setting(
    "LOGIN_ATTEMPTS_PER_ADDRESS",
    kind.integer(1),
    50,
    "Wrong passwords from one address (for IPv6, one /64 network) within five minutes before further attempts have to wait."
  ),
  localLogin: setting(
    "LOCAL_LOGIN",
    kind.oneOf("on", "superusers", "off"),
    "on",
    "Users who may log in, or provision a token, with a password: all (`on`), superusers alone, or none (`off`). Sessions and tokens that exist stay valid."
  ),
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
