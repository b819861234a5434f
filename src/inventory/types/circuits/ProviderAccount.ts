import { defineObjectType, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "circuits",
  name: "provideraccount",
  plural: "provider-accounts",
  label: "provider account",
  fields: {
    provider: ref("circuits.provider", { onDelete: "protect" }),
    name: text({ max: 100, optional: true }),
    account: text({ max: 100, help: "The number or name that the provider uses." }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["provider", "account"] }],
  rivals: [
    {
      fields: ["provider", "name"],
      where: "t.provider_id = j.provider_id and t.name = j.name and j.name <> ''",
      lock: "case when j.name <> '' then j.provider_id || ' ' || j.name end",
      errors: () => ({ name: ["Provider account with this Provider and Name already exists."] })
    }
  ],
  search: ["name", "account", "description", "comments"],
  ordering: ["provider", "account"],
  brief: ["name", "account"],
  display: ({ name, account }) => (name === "" ? account : `${account} (${name})`)
})
