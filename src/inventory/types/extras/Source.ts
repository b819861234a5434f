import type { Row } from "../../Field.ts"
import { choice, defineObjectType, flag, integer, sealed, text, texts, time } from "../../ObjectType.ts"

/** The token is sent to the API alone. */
const sentToApi = (row: Row): ReadonlyArray<string> => [String(row["api_url"])]

const identifier = { pattern: /^[a-z_][a-z0-9_]{0,62}$/, refusal: "Only a-z, 0-9 and _ are allowed, at most 63." }

/** A NetBox whose changes are read, beside the inventory. Everything that is read is written by src/source/. */
export default defineObjectType({
  app: "extras",
  name: "source",
  plural: "sources",
  menu: "Logging",
  announced: true,
  groups: {
    Database: ["database_url", "mode", "publication", "slot", "wal_limit"],
    "REST API": ["api_url", "api_token"],
    Pages: ["web_url"],
    State: ["status", "status_note", "status_since", "release", "object_types"]
  },
  fields: {
    name: text({ max: 100, unique: true }),
    description: text({ max: 200, optional: true }),
    kind: choice({ netbox: "NetBox" }, { default: "netbox", bare: true }),
    enabled: flag({ default: true }),
    database_url: sealed({
      max: 2000,
      grammar: "databaseUrl",
      help: "postgresql://user:password@host/netbox of a role with REPLICATION. It is not shown again."
    }),
    mode: choice(
      { stream: "Stream", poll: "Poll" },
      { default: "stream", bare: true, help: "Poll: where the server allows no logical replication; a second later." }
    ),
    publication: text({ max: 63, default: "rackwire", ...identifier }),
    slot: text({ max: 63, default: "rackwire_netbox", ...identifier }),
    wal_limit: integer({
      min: 16,
      max: 1_000_000,
      default: 2048,
      help: "Most megabytes of WAL that the server may keep for the slot: then the slot is dropped, and a gap is filled."
    }),
    api_url: text({ max: 500, optional: true, grammar: "apiUrl", placeholder: "https://netbox.example.com" }),
    web_url: text({
      max: 500,
      optional: true,
      grammar: "webUrl",
      placeholder: "https://netbox.example.com",
      help: "Links lead to NetBox at this URL. Blank: at the API URL."
    }),
    api_token: sealed({ max: 200, sentTo: sentToApi, help: "Blank sends snapshots in place of objects." }),
    object_types: texts({ wire: "read", optional: true }),
    release: text({ max: 20, wire: "read", optional: true }),
    status: choice(
      { waiting: "Waiting", reading: "Reading", failing: "Failing", stopped: "Stopped" },
      { default: "waiting", bare: true, wire: "read" }
    ),
    status_note: text({ wire: "read", optional: true }),
    status_since: time({ wire: "read" })
  },
  panels: [{ kind: "source" }],
  search: ["name", "description", "api_url"],
  ordering: ["name"],
  listed: ["enabled", "status", "mode", "api_url", "status_note"],
  brief: ["name"],
  display: (row) => row.name
})
