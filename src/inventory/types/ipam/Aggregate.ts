import { broken, date, defineObjectType, family, labels, prefix, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "ipam",
  name: "aggregate",
  plural: "aggregates",
  identity: ["prefix", "rir"],
  fields: {
    prefix: prefix(),
    rir: ref("ipam.rir", { onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    date_added: date(),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  panels: [{ kind: "spaceMap", of: "addresses" }, { kind: "hierarchy" }],
  derived: { family: family("prefix") },
  search: ["prefix", "description", "comments"],
  ordering: ["prefix"],
  brief: ["family", "prefix"],
  display: (row) => String(row.prefix),
  *check(row) {
    if (!String(row.prefix).endsWith("/0")) return
    yield broken(["prefix"], { prefix: ["Cannot create aggregate with /0 mask."] })
  },
  rivals: [
    {
      fields: ["prefix"],
      where: "t.prefix && j.prefix",
      lock: "'any'",
      errors: (row, other) => ({
        prefix: [
          lengthOf(other.prefix) <= lengthOf(row.prefix)
            ? `Aggregates cannot overlap. ${row.prefix} is already covered by an existing aggregate (${other.prefix}).`
            : `Prefixes cannot overlap aggregates. ${row.prefix} covers an existing aggregate (${other.prefix}).`
        ]
      })
    }
  ]
})

const lengthOf = (prefix: unknown): number => Number(String(prefix).split("/")[1])
