/** The statements that prepare a NetBox' database for the reading of its changes, and those that undo them. Pure. */
import { identifier } from "../move/source/Catalogue.ts"
import { literal } from "../postgres/Literal.ts"
import type { AttachFacts } from "./Facts.ts"
import { replicationGrant, replicationRevoke, walLevelRemedy } from "./Platform.ts"

/** Operations that the publication needs: rows of changes are inserted, and updated while lists are assigned. */
export const neededOperations = ["insert", "update"] as const

/** From this version on a standby can take over a slot. */
const failoverVersion = 170_000

/** A table of NetBox in SQL. */
export const tableIn = ({ schema }: Pick<AttachFacts, "schema">, table: string): string =>
  `${identifier(schema ?? "public")}.${identifier(table)}`

/** The table of changes: of a database without one, that of the newest release. */
const changesIn = (facts: AttachFacts): string => tableIn(facts, facts.changeTable?.name ?? "core_objectchange")

/** Statements that make the publication whole; none if it is. */
export const publicationSql = (facts: AttachFacts): ReadonlyArray<string> => {
  const { publication, foundPublication } = facts
  const name = identifier(publication)
  const table = changesIn(facts)
  if (foundPublication === null) {
    return [`create publication ${name} for table ${table} with (publish = '${neededOperations.join(", ")}');`]
  }
  const { operations, hasTable, isWhole } = foundPublication
  const missing = neededOperations.filter((each) => !operations.includes(each))
  return [
    ...(missing.length > 0
      ? [`alter publication ${name} set (publish = '${[...operations, ...missing].join(", ")}');`]
      : []),
    ...(isWhole ? [] : [`alter publication ${name} drop table ${table};`]),
    ...(hasTable && isWhole ? [] : [`alter publication ${name} add table ${table};`])
  ]
}

/** The statement that makes the slot; a lost one is dropped first. */
export const slotSql = ({ slot, version, foundSlot }: AttachFacts): ReadonlyArray<string> => {
  if (foundSlot !== null && !foundSlot.isLost) return []
  const options = version >= failoverVersion ? ", failover => true" : ""
  return [
    ...(foundSlot === null ? [] : [dropSlot(slot)]),
    `select slot_name::text from pg_create_logical_replication_slot(${literal(slot)}, 'pgoutput'${options});`
  ]
}

const dropSlot = (slot: string): string =>
  `select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = ${literal(slot)};`

/** Statements that let a role read the tables. */
export const grantSql = (facts: AttachFacts, role: string): ReadonlyArray<string> => [
  `grant usage on schema ${identifier(facts.schema ?? "public")} to ${identifier(role)};`,
  `grant select on ${readTables(facts)} to ${identifier(role)};`
]

const readTables = (facts: AttachFacts): string =>
  [changesIn(facts), ...["django_content_type", ...facts.webhookTables].map((table) => tableIn(facts, table))].join(
    ", "
  )

/** The table of a release whose column `enabled` says whether a webhook is sent. */
const ruleTableOf = ({ webhookTables }: Pick<AttachFacts, "webhookTables">): string =>
  webhookTables.includes("extras_eventrule") ? "extras_eventrule" : "extras_webhook"

interface SqlOptions {
  /** The role that Rackwire will connect as. */
  readonly role: string
  /** Whether that role is made. */
  readonly isNew: boolean
}

/** Everything for an administrator of the server, in order: paragraphs of comments and statements for psql. */
export const attachSql = (facts: AttachFacts, { role, isNew }: SqlOptions): string => {
  const { platform, walLevel, database, changeTable } = facts
  const wal = walLevelRemedy(platform)
  const parts: ReadonlyArray<readonly [comment: string, statements: ReadonlyArray<string>]> = [
    ...(walLevel === "logical" ? [] : [[`wal_level is ${walLevel}. ${wal.sentence}`, wal.sql] as const]),
    [
      isNew
        ? "The role that Rackwire connects as. Give it a password with \\password."
        : "The role that Rackwire connects as may read the write-ahead log.",
      [...(isNew ? [`create role ${identifier(role)} with login;`] : []), replicationGrant(platform, role)]
    ],
    ["It reads the change log, the object types, and the webhooks to take over.", grantSql(facts, role)],
    [
      "Only for --switch, which disables webhooks here as Rackwire takes them over.",
      [`grant update (enabled) on ${tableIn(facts, ruleTableOf(facts))} to ${identifier(role)};`]
    ],
    [
      `The publication, as the owner of the table${changeTable === null ? "" : ` (${changeTable.owner})`} or a superuser.`,
      publicationSql(facts)
    ],
    ["The slot: from now on the server keeps its write-ahead log until Rackwire has read it.", slotSql(facts)]
  ]
  return [`\\connect ${identifier(database)}`, ...parts.filter(([, { length }]) => length > 0).map(paragraph)].join(
    "\n\n"
  )
}

/** Undoes all that `attachSql` does, but for the setting of the server: other programs may need it by now. */
export const detachSql = (facts: AttachFacts, { role, isNew }: SqlOptions): string => {
  const { platform, database, slot, publication, schema } = facts
  const name = identifier(role)
  const parts: ReadonlyArray<readonly [comment: string, statements: ReadonlyArray<string>]> = [
    ["The slot, once Rackwire reads no more: the server then drops the write-ahead log.", [dropSlot(slot)]],
    ["The publication.", [`drop publication if exists ${identifier(publication)};`]],
    [
      "The rights of the role.",
      [
        `revoke update (enabled) on ${tableIn(facts, ruleTableOf(facts))} from ${name};`,
        `revoke select on ${readTables(facts)} from ${name};`,
        `revoke usage on schema ${identifier(schema ?? "public")} from ${name};`,
        replicationRevoke(platform, role),
        ...(isNew ? [`drop role ${name};`] : [])
      ]
    ]
  ]
  return [`\\connect ${identifier(database)}`, ...parts.map(paragraph)].join("\n\n")
}

/** A name in a comment may have line breaks, behind which a statement would begin. */
const paragraph = ([comment, statements]: readonly [string, ReadonlyArray<string>]): string =>
  [`-- ${comment.replaceAll(/[\r\n]+/g, " ")}`, ...statements].join("\n")
