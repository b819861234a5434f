import { describe, expect, it } from "vitest"
import { attachSql, detachSql, publicationSql, slotSql } from "../../src/attach/AttachSql.ts"
import { type AttachFacts, answerOf } from "../../src/attach/Facts.ts"
import { type PrerequisiteReason, judge } from "../../src/attach/Prerequisites.ts"
import { completeFacts } from "./SomeFacts.ts"

const walLimitMegabytes = 2048

const missingIn = (change: Partial<AttachFacts>) => judge({ ...completeFacts, ...change }, walLimitMegabytes).missing

const whole = { isOwned: false, hasTable: true, isWhole: true, operations: ["insert", "update"] }
const ourSlot = { database: "netbox", plugin: "pgoutput", isActive: false, isLost: false }

type Case = readonly [
  reason: PrerequisiteReason,
  change: Partial<AttachFacts>,
  words: string,
  sql: ReadonlyArray<string>
]

const cases: ReadonlyArray<Case> = [
  ["NotNetBox", { tables: ["django_content_type"] }, "it has no tables dcim_site and django_content_type", []],
  ["NotNetBox", { schema: null, changeTable: null, tables: [] }, "netbox is no database of NetBox", []],
  ["Release", { release: undefined }, "upgrade NetBox first", []],
  ["Release", { changeTable: null }, "before 3.1", []],
  ["Postgres", { version: 120_020 }, "The server is Postgres 12. 13 or later is needed.", []],
  ["Standby", { isStandby: true }, "Name the address of the primary.", []],
  [
    "WalLevel",
    { walLevel: "replica" },
    "wal_level is replica, and must be logical. Run the statement, or write wal_level = logical into postgresql.conf, and restart Postgres.",
    ["alter system set wal_level = 'logical';"]
  ],
  ["WalLevel", { walLevel: "replica", platform: "rds" }, "Set rds.logical_replication = 1 in the parameter group", []],
  ["WalLevel", { walLevel: "replica", platform: "cloudsql" }, "the flag cloudsql.logical_decoding = on", []],
  ["WalLevel", { walLevel: "replica", platform: "azure" }, "the server parameter wal_level = LOGICAL", []],
  [
    "Slots",
    { slotsUsed: 10 },
    "All 10 replication slots are in use. Run the statement, or write max_replication_slots = 15",
    ["alter system set max_replication_slots = 15;"]
  ],
  ["Slots", { slotsUsed: 10, platform: "rds" }, "Set max_replication_slots = 15 in the parameter group", []],
  [
    "Senders",
    { sendersUsed: 10, replication: "busy" },
    "10 of 10 walsenders are in use",
    ["alter system set max_wal_senders = 15;"]
  ],
  ["Pooler", { replication: "pooled" }, "Name the address of the Postgres server itself.", []],
  [
    "Host",
    { replication: "host" },
    "pg_hba.conf refuses replication connections of reader",
    ["select pg_reload_conf();"]
  ],
  [
    "Replication",
    { replication: "forbidden" },
    "The role reader may not open replication connections.",
    [`alter role "reader" with replication;`]
  ],
  [
    "Replication",
    { replication: "forbidden", platform: "rds" },
    "Run the statement as an administrator.",
    [`grant rds_replication to "reader";`]
  ],
  [
    "Refused",
    { replication: "busy", replicationRefusal: `too many connections for role "reader"` },
    `a replication connection: too many connections for role "reader"`,
    []
  ],
  [
    "Select",
    { unreadable: ["core_objectchange"] },
    "The role reader may not read core_objectchange.",
    [
      `grant usage on schema "public" to "reader";`,
      `grant select on "public"."core_objectchange", "public"."django_content_type", "public"."extras_eventrule", "public"."extras_eventrule_object_types", "public"."extras_webhook" to "reader";`
    ]
  ],
  [
    "Select",
    { mayUseSchema: false, schema: "nb" },
    "may not read the schema nb",
    expect.any(Array) as unknown as ReadonlyArray<string>
  ],
  [
    "Publication",
    { foundPublication: null },
    "Run the statements as netbox, who owns the table, or a superuser.",
    [`create publication "rackwire" for table "public"."core_objectchange" with (publish = 'insert, update');`]
  ],
  [
    "PublicationTable",
    { foundPublication: { ...whole, hasTable: false } },
    "The publication rackwire does not contain core_objectchange.",
    [`alter publication "rackwire" add table "public"."core_objectchange";`]
  ],
  [
    "PublicationOperations",
    { foundPublication: { ...whole, operations: ["insert", "delete"] } },
    "does not publish update.",
    [`alter publication "rackwire" set (publish = 'insert, delete, update');`]
  ],
  [
    "PublicationFilter",
    { foundPublication: { ...whole, isWhole: false } },
    "leaves out rows or columns of core_objectchange",
    [
      `alter publication "rackwire" drop table "public"."core_objectchange";`,
      `alter publication "rackwire" add table "public"."core_objectchange";`
    ]
  ],
  ["SlotActive", { foundSlot: { ...ourSlot, isActive: true } }, "Another process reads from the slot rackwire", []],
  [
    "SlotForeign",
    { foundSlot: { ...ourSlot, database: "other" } },
    "is of the database other and the plugin pgoutput",
    []
  ],
  ["SlotForeign", { foundSlot: { ...ourSlot, plugin: "wal2json" } }, "the plugin wal2json", []],
  ["SlotForeign", { foundSlot: { ...ourSlot, database: null, plugin: null } }, "is a physical one", []]
]

describe("a prerequisite that is missing", () => {
  it.each(cases)("%s: %j", (reason, change, words, sql) => {
    const [found, ...others] = missingIn(change)
    expect(others).toEqual([])
    expect(found).toEqual({ reason, sentence: expect.stringContaining(words), sql })
  })

  it("is none of a database that has all", () => {
    expect(judge(completeFacts, walLimitMegabytes)).toEqual({ missing: [], risks: [] })
  })

  it("is listed with all others", () => {
    const all = missingIn({ walLevel: "minimal", replication: "forbidden", unreadable: ["a"], foundPublication: null })
    expect(all.map(({ reason }) => reason)).toEqual(["WalLevel", "Replication", "Select", "Publication"])
  })

  it("is no slot and no walsender where ours exists already", () => {
    expect(missingIn({ slotsUsed: 10, foundSlot: ourSlot })).toEqual([])
    const active = missingIn({ sendersUsed: 10, foundSlot: { ...ourSlot, isActive: true } })
    expect(active.map(({ reason }) => reason)).toEqual(["SlotActive"])
  })

  it("is no publication that the role may make whole itself", () => {
    const owner = { changeTable: { name: "core_objectchange", owner: "netbox", isOwned: true } }
    expect(missingIn({ ...owner, mayCreate: true, foundPublication: null })).toEqual([])
    expect(missingIn({ ...owner, foundPublication: null })).toHaveLength(1)
    expect(missingIn({ mayCreate: true, foundPublication: null })).toHaveLength(1)
    expect(missingIn({ ...owner, foundPublication: { ...whole, isOwned: true, hasTable: false } })).toEqual([])
    // The owner of a publication alone may change its operations, and not its tables.
    expect(missingIn({ foundPublication: { ...whole, isOwned: true, operations: [] } })).toEqual([])
    expect(missingIn({ foundPublication: { ...whole, isOwned: true, hasTable: false } })).toHaveLength(1)
  })
})

describe("a setting that can end a slot", () => {
  const risksOf = (change: Partial<AttachFacts>) =>
    judge({ ...completeFacts, ...change }, walLimitMegabytes).risks.map(({ reason }) => reason)

  it("is a limit of idle slots, and of WAL below that of the source", () => {
    expect(risksOf({ idleSlotTimeout: "1h", slotWalMegabytes: 2047 })).toEqual(["IdleTimeout", "WalLimit"])
    expect(risksOf({ idleSlotTimeout: "0", slotWalMegabytes: 2048 })).toEqual([])
  })

  it("is named where it has ended ours", () => {
    expect(risksOf({ foundSlot: { ...ourSlot, isLost: true } })).toEqual(["LostSlot"])
  })
})

describe("the statements", () => {
  it("are none where publication and slot are there", () => {
    expect(publicationSql(completeFacts)).toEqual([])
    expect(slotSql({ ...completeFacts, foundSlot: ourSlot })).toEqual([])
  })

  it("make a slot that standbys can take over from 17 on, in place of a lost one", () => {
    expect(slotSql(completeFacts)).toEqual([
      "select slot_name::text from pg_create_logical_replication_slot('rackwire', 'pgoutput');"
    ])
    const later = slotSql({ ...completeFacts, version: 170_002, foundSlot: { ...ourSlot, isLost: true } })
    expect(later).toEqual([
      "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = 'rackwire';",
      "select slot_name::text from pg_create_logical_replication_slot('rackwire', 'pgoutput', failover => true);"
    ])
  })

  it("quote every name", () => {
    const hostile = { ...completeFacts, schema: `a"b`, publication: `p"; drop table x`, foundPublication: null }
    const sql = attachSql({ ...hostile, database: `d"` }, { role: `r"`, isNew: true })
    for (const name of [`"a""b"`, `"p""; drop table x"`, `"d"""`, `"r"""`]) expect(sql).toContain(name)
  })

  it("begin on no line of a comment, whatever the owner of the table is called", () => {
    const owner = { name: "core_objectchange", owner: "x\ndrop table dcim_site;\r--", isOwned: false }
    const sql = attachSql({ ...completeFacts, foundPublication: null, changeTable: owner }, { role: "r", isNew: false })
    expect(sql.split(/[\r\n]/).filter((line) => line.startsWith("drop"))).toEqual([])
  })

  it("for an administrator make the role, its rights, the publication and the slot, and undo them", () => {
    const bare = { ...completeFacts, walLevel: "replica", foundPublication: null }
    const statements = (sql: string) => sql.split("\n").filter((line) => line !== "" && !line.startsWith("--"))
    expect(statements(attachSql(bare, { role: "rackwire", isNew: true }))).toEqual([
      `\\connect "netbox"`,
      "alter system set wal_level = 'logical';",
      `create role "rackwire" with login;`,
      `alter role "rackwire" with replication;`,
      `grant usage on schema "public" to "rackwire";`,
      expect.stringMatching(
        /^grant select on "public"."core_objectchange", "public"."django_content_type", .* to "rackwire";$/
      ),
      `grant update (enabled) on "public"."extras_eventrule" to "rackwire";`,
      `create publication "rackwire" for table "public"."core_objectchange" with (publish = 'insert, update');`,
      "select slot_name::text from pg_create_logical_replication_slot('rackwire', 'pgoutput');"
    ])
    expect(statements(detachSql(bare, { role: "rackwire", isNew: true }))).toEqual([
      `\\connect "netbox"`,
      "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = 'rackwire';",
      `drop publication if exists "rackwire";`,
      `revoke update (enabled) on "public"."extras_eventrule" from "rackwire";`,
      expect.stringMatching(/^revoke select on .* from "rackwire";$/),
      `revoke usage on schema "public" from "rackwire";`,
      `alter role "rackwire" with noreplication;`,
      `drop role "rackwire";`
    ])
  })
})

describe("the answer to a replication connection", () => {
  it.each([
    [undefined, "accepted"],
    [{ reason: "Refused", sqlState: "42501" }, "forbidden"],
    [{ reason: "Refused", sqlState: "28000" }, "host"],
    [{ reason: "Refused", sqlState: "53300" }, "busy"],
    [{ reason: "Transport", sqlState: "08P01" }, "pooled"],
    [{ reason: "Protocol" }, "pooled"],
    [{ reason: "Transport" }, "refused"]
  ] as const)("%j is %s", (refusal, answer) => {
    expect(answerOf(refusal)).toBe(answer)
  })
})
