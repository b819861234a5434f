/** Lists the changes of an event, for templates that people read. */
import { type Call, type Json, type JsonObject, definePlugin, jsonText } from "#plugin"

/** Fields that every write changes. */
const silent = new Set(["last_updated"])

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value for people: empty text for null, JSON for lists and objects. */
const shown = (value: Json | undefined): string => {
  if (value === null || value === undefined) return ""
  return typeof value === "object" ? jsonText(value) : String(value)
}

const changes = (call: Call, snapshots: Json | undefined): ReadonlyArray<JsonObject> => {
  if (!isObject(snapshots)) throw new Error("the snapshots of an event are expected")
  const [before, after] = [snapshots["prechange"], snapshots["postchange"]].map((side) => (isObject(side) ? side : {}))
  const names = new Set([...Object.keys(before!), ...Object.keys(after!)])
  call.charge(names.size, names.size * 64)
  return [...names]
    .filter((name) => !silent.has(name))
    .map((name) => ({ name, before: shown(before![name]), after: shown(after![name]) }))
    .filter((change) => change.before !== change.after)
}

export default definePlugin({
  name: "changes",
  description: "The fields that an event changed, with their values before and after as text.",
  filters: { changes },
  examples: [
    {
      template:
        "{% for c in snapshots|changes %}{{ c.name }}: {{ c.before or 'nothing' }} -> {{ c.after }}\n{% endfor %}",
      context: {
        snapshots: {
          prechange: { status: "planned", tenant: null, tags: ["a"], name: "sw", last_updated: "1" },
          postchange: { status: "active", tenant: 3, tags: ["a", "b"], name: "sw", last_updated: "2" }
        }
      },
      expect: 'status: planned -> active\ntenant: nothing -> 3\ntags: ["a"] -> ["a","b"]\n'
    },
    {
      template: "{{ snapshots|changes|map(attribute='name')|join(' ') }}",
      context: { snapshots: { prechange: null, postchange: { name: "sw", comments: "" } } },
      expect: "name"
    },
    { template: "{{ 'x'|changes }}", expect: { error: "Plugin" } }
  ]
})
