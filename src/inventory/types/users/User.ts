import { defineObjectType, email, flag, json, password, refs, text, time } from "../../ObjectType.ts"

export default defineObjectType({
  app: "users",
  name: "user",
  plural: "users",
  kind: "account",
  fields: {
    username: text({ max: 150, unique: true }),
    password: password(),
    first_name: text({ max: 150, optional: true }),
    last_name: text({ max: 150, optional: true }),
    email: email({ optional: true }),
    is_staff: flag({ default: false }),
    is_active: flag({ default: true }),
    is_superuser: flag({ default: false, wire: "none" }),
    // Digest of the hash of a password that was generated: it stops being temporary when it is changed, however.
    temporary_password: text({ optional: true, wire: "none" }),
    // Preferences of the console, which are checked where they are read (console/account/Preferences.ts).
    preferences: json({ wire: "none" }),
    date_joined: time({ now: true, wire: "read" }),
    groups: refs("users.group")
  },
  paths: { group: "groups" },
  search: ["username", "first_name", "last_name", "email"],
  ordering: ["username"],
  brief: ["username"],
  display: (row) => {
    const name = `${row.first_name} ${row.last_name}`.trim()
    return name === "" ? String(row.username) : `${row.username} (${name})`
  }
})
