import { choice, defineObjectType, ref, text, time, uuid } from "../../ObjectType.ts"

/** The outcomes that are stored. */
const kinds = {
  logged_in: "Logged in",
  refused: "Refused",
  logged_out: "Logged out",
  sessions_ended: "Sessions ended",
  token_provisioned: "Token provisioned",
  password_changed: "Password changed",
  groups_changed: "Groups changed",
  factor_changed: "Factor changed",
  user_created: "User created"
} as const

export type SignInKind = keyof typeof kinds

/** Most characters of the texts, which clients may choose. */
export const signInChars = { way: 50, name: 150, address: 64, agent: 300, reason: 50, details: 1000 } as const

/** A sign-in, a refusal, or a change of an account by one: written by auth/audit/SignInRows.ts. */
export default defineObjectType({
  app: "users",
  name: "signin",
  plural: "sign-ins",
  label: "sign-in",
  isReadOnly: true,
  isAppendOnly: true,
  groups: {
    Account: ["user", "name", "way"],
    Request: ["address", "agent", "request_id"]
  },
  fields: {
    time: time({ now: true }),
    kind: choice(kinds),
    // `password`, `passkey`, `oidc:<name of the provider>`, `ldap`, `proxy`, `token exchange`; empty where no credential was presented.
    way: text({ max: signInChars.way, optional: true }),
    // The user who had the name at that time. The row outlives the user.
    user: ref("users.user", { optional: true, onDelete: "keep" }),
    // As the client gave it: of a refusal it may be the name of no user.
    name: text({ max: signInChars.name, optional: true }),
    address: text({ max: signInChars.address, optional: true }),
    agent: text({ max: signInChars.agent, optional: true }),
    // The lines of the log have it too.
    request_id: uuid(),
    // Why, for refusals.
    reason: text({ max: signInChars.reason, optional: true }),
    details: text({ max: signInChars.details, optional: true })
  },
  indexes: [["time"], ["address"]],
  paths: { time_after: "time__gte", time_before: "time__lte" },
  search: ["name", "address", "details"],
  ordering: ["-time"],
  listed: ["time", "way", "user", "address", "reason", "details"],
  brief: ["kind", "name"],
  display: (row) => (row.name === "" ? kinds[row.kind] : `${kinds[row.kind]}: ${row.name}`)
})
