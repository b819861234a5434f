import { defineObjectType, flag, networks, ref, sealed, text, time, tokenKey } from "../../ObjectType.ts"
import { tokenTail } from "../../Vault.ts"

export default defineObjectType({
  app: "users",
  name: "token",
  plural: "tokens",
  kind: "account",
  fields: {
    user: ref("users.user", { onDelete: "cascade" }),
    created: time({ now: true, wire: "read" }),
    expires: time(),
    last_used: time({ wire: "read" }),
    key: tokenKey({ copiedTo: "key_copy" }),
    write_enabled: flag({ default: true }),
    description: text({ max: 200, optional: true }),
    allowed_ips: networks(),
    key_copy: sealed({ max: 40, wire: "none" })
  },
  owner: "user",
  quota: {
    field: "user",
    max: ({ tokensPerUser }) => tokensPerUser,
    message: (max) => `A user may have at most ${max} tokens (TOKENS_PER_USER). Delete those that are no longer used.`
  },
  search: ["description"],
  ordering: ["created"],
  brief: ["write_enabled"],
  displayBy: ["user"],
  display: (row, view) => {
    const owner = typeof row.user === "number" ? view.row("users.user", row.user) : undefined
    return `${String(row.key).slice(0, tokenTail)} (${owner?.username ?? ""})`
  }
})
