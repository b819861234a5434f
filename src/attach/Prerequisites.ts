/**
 * Attaching to a NetBox that exists: what its database needs before its changes can be read, and its webhooks taken over.
 *
 * Responsible for: the facts of the database (Facts.ts), the prerequisites that are missing, each with the way to meet
 * it, the statements for an administrator (AttachSql.ts), and NetBox' webhooks as webhooks of ours (Takeover.ts).
 * Guarantees: nothing is written to the database of NetBox; no address, password or secret is in a sentence.
 * Does not: read changes (src/source/), or run the statements that it returns.
 */
import { grantSql, neededOperations, publicationSql } from "./AttachSql.ts"
import type { AttachFacts } from "./Facts.ts"
import { type Remedy, replicationGrant, settingRemedy, walLevelRemedy } from "./Platform.ts"
import { pooledSentence } from "./SourceDatabase.ts"

/**
 * - `NotNetBox`, `Release`: the database is none of NetBox, or of one before 3.1.
 * - `Postgres`, `Standby`: the server is too old, or a standby.
 * - `WalLevel`, `Slots`, `Senders`: settings of the server.
 * - `Pooler`, `Host`, `Replication`, `Refused`: it accepts no replication connection of the role.
 * - `Select`: the role may not read a table.
 * - `Publication`, `PublicationTable`, `PublicationOperations`, `PublicationFilter`: the role cannot make the publication
 *   whole.
 * - `SlotActive`, `SlotForeign`: the slot of this name is in use, or not one of ours.
 */
export type PrerequisiteReason =
  | ("NotNetBox" | "Release" | "Postgres" | "Standby" | "WalLevel" | "Slots" | "Senders" | "Pooler" | "Host")
  | ("Replication" | "Refused" | "Select" | "SlotActive" | "SlotForeign")
  | ("Publication" | "PublicationTable" | "PublicationOperations" | "PublicationFilter")

/** A prerequisite that is missing. */
interface MissingPrerequisite extends Remedy {
  readonly reason: PrerequisiteReason
}

/** A setting that can end a slot, which attaching does not need to be changed. */
interface SlotRisk {
  readonly reason: "IdleTimeout" | "WalLimit" | "LostSlot"
  readonly sentence: string
}

interface Prerequisites {
  readonly missing: ReadonlyArray<MissingPrerequisite>
  readonly risks: ReadonlyArray<SlotRisk>
}

/** The first version whose slots report the state of their WAL. */
const versionMin = 130_000

/** Slots and walsenders that are left free beside ours when a limit is raised. */
const spare = 4

/** Decides which prerequisites are missing. `walLimitMegabytes`: the WAL that the source may keep. */
export const judge = (facts: AttachFacts, walLimitMegabytes: number): Prerequisites => {
  const unusable = unusableDatabase(facts)
  if (unusable !== undefined) return { missing: [unusable], risks: [] }
  return {
    missing: [
      ...serverProblems(facts),
      ...connectionProblems(facts),
      ...selectProblems(facts),
      ...publicationProblems(facts),
      ...slotProblems(facts)
    ],
    risks: risksOf(facts, walLimitMegabytes)
  }
}

const missing = (
  reason: PrerequisiteReason,
  sentence: string,
  sql: ReadonlyArray<string> = []
): MissingPrerequisite => ({
  ...{ reason, sentence, sql }
})

/** Follows a finding with its remedy. */
const remedied = (reason: PrerequisiteReason, found: string, { sentence, sql }: Remedy): MissingPrerequisite =>
  missing(reason, `${found} ${sentence}`, sql)

/** Why nothing else can be said about the database. */
const unusableDatabase = (facts: AttachFacts): MissingPrerequisite | undefined => {
  const { tables, release, changeTable, database } = facts
  if (!tables.includes("dcim_site") || facts.schema === null) {
    return missing(
      "NotNetBox",
      `${database} is no database of NetBox: it has no tables dcim_site and django_content_type. Name the one of DATABASE in NetBox' configuration.py.`
    )
  }
  if (release === undefined || changeTable === null) {
    return missing("Release", `${database} is of NetBox before 3.1, which cannot be attached: upgrade NetBox first.`)
  }
  return undefined
}

const serverProblems = (facts: AttachFacts): ReadonlyArray<MissingPrerequisite> => {
  const { version, isStandby, walLevel, platform, slotsMax, slotsUsed, foundSlot } = facts
  const slots = foundSlot === null ? 1 : 0
  return [
    ...(version < versionMin
      ? [missing("Postgres", `The server is Postgres ${Math.floor(version / 10_000)}. 13 or later is needed.`)]
      : []),
    ...(isStandby
      ? [
          missing(
            "Standby",
            "The server is a standby, on which no publication can be made. Name the address of the primary."
          )
        ]
      : []),
    ...(walLevel === "logical"
      ? []
      : [remedied("WalLevel", `wal_level is ${walLevel}, and must be logical.`, walLevelRemedy(platform))]),
    ...(slotsMax - slotsUsed < slots
      ? [
          remedied(
            "Slots",
            `All ${slotsMax} replication slots are in use.`,
            settingRemedy(platform, "max_replication_slots", slotsUsed + slots + spare)
          )
        ]
      : []),
    ...(isBusy(facts)
      ? [
          remedied(
            "Senders",
            `${facts.sendersUsed} of ${facts.sendersMax} walsenders are in use, and ours needs one.`,
            settingRemedy(platform, "max_wal_senders", facts.sendersUsed + 1 + spare)
          )
        ]
      : [])
  ]
}

/** Whether no walsender is free. An active slot of ours has its own. */
const isBusy = ({ sendersMax, sendersUsed, foundSlot }: AttachFacts): boolean =>
  sendersUsed >= sendersMax && foundSlot?.isActive !== true

const connectionProblems = (facts: AttachFacts): ReadonlyArray<MissingPrerequisite> => {
  const { replication, platform, user, database, isStandby } = facts
  // The connection is not tried to the end there.
  if (isStandby) return []
  if (replication === "forbidden") {
    const found = `The role ${user} may not open replication connections. Run the statement as an administrator.`
    return [missing("Replication", found, [replicationGrant(platform, user)])]
  }
  if (replication === "pooled") return [missing("Pooler", pooledSentence)]
  if (replication === "host") {
    const found = `pg_hba.conf refuses replication connections of ${user} to ${database}. Allow the role to connect to this database from this host, and reload the configuration.`
    return [missing("Host", found, ["select pg_reload_conf();"])]
  }
  // Without a free walsender the answer says no more than that.
  if (replication === "accepted" || isBusy(facts)) return []
  return [missing("Refused", `The server refuses a replication connection: ${facts.replicationRefusal}`)]
}

const selectProblems = (facts: AttachFacts): ReadonlyArray<MissingPrerequisite> => {
  const { unreadable, mayUseSchema, user, schema } = facts
  if (unreadable.length === 0 && mayUseSchema) return []
  const what = mayUseSchema ? unreadable.join(", ") : `the schema ${schema}`
  const found = `The role ${user} may not read ${what}. Run the statements as the owner of the tables.`
  return [missing("Select", found, grantSql(facts, user))]
}

const publicationProblems = (facts: AttachFacts): ReadonlyArray<MissingPrerequisite> => {
  const { publication, foundPublication, changeTable } = facts
  const sql = publicationSql(facts)
  if (sql.length === 0 || mayMakePublication(facts)) return []
  const advice = `Run the statements as ${changeTable!.owner}, who owns the table, or a superuser.`
  if (foundPublication === null) {
    const found = `There is no publication ${publication}, and ${facts.user} may not make one: it needs the rights of the table's owner and CREATE on the database.`
    return [missing("Publication", `${found} ${advice}`, sql)]
  }
  const { hasTable, isWhole, operations } = foundPublication
  const lacks = (reason: PrerequisiteReason, words: string) =>
    missing(reason, `The publication ${publication} ${words}. ${advice}`, sql)
  const absent = neededOperations.filter((each) => !operations.includes(each))
  return [
    ...(hasTable ? [] : [lacks("PublicationTable", `does not contain ${changeTable!.name}`)]),
    ...(absent.length > 0 ? [lacks("PublicationOperations", `does not publish ${absent.join(" and ")}`)] : []),
    ...(isWhole ? [] : [lacks("PublicationFilter", `leaves out rows or columns of ${changeTable!.name}`)])
  ]
}

/** Whether the role may run the statements that make the publication whole. */
const mayMakePublication = ({ foundPublication, changeTable, mayCreate }: AttachFacts): boolean => {
  const ownsTable = changeTable?.isOwned === true
  if (foundPublication === null) return ownsTable && mayCreate
  const { isOwned, hasTable, isWhole } = foundPublication
  return isOwned && (ownsTable || (hasTable && isWhole))
}

const slotProblems = ({ slot, foundSlot, database }: AttachFacts): ReadonlyArray<MissingPrerequisite> => {
  if (foundSlot === null) return []
  if (foundSlot.database !== database || foundSlot.plugin !== "pgoutput") {
    const owner = foundSlot.database === null ? "is a physical one" : `is of the database ${foundSlot.database}`
    const plugin = foundSlot.plugin === null ? "" : ` and the plugin ${foundSlot.plugin}`
    return [missing("SlotForeign", `The slot ${slot} ${owner}${plugin}. Choose another name for the slot.`)]
  }
  if (!foundSlot.isActive) return []
  const found = `Another process reads from the slot ${slot}, perhaps another Rackwire. Stop it, or choose another name for the slot.`
  return [missing("SlotActive", found)]
}

const risksOf = (facts: AttachFacts, walLimitMegabytes: number): ReadonlyArray<SlotRisk> => {
  const { idleSlotTimeout, slotWalMegabytes, foundSlot, slot } = facts
  return [
    ...(foundSlot?.isLost === true
      ? [
          {
            reason: "LostSlot" as const,
            sentence: `The server has invalidated the slot ${slot}: it is made anew, and the changes since are read from the table.`
          }
        ]
      : []),
    ...(idleSlotTimeout === null || /^0\w*$/.test(idleSlotTimeout)
      ? []
      : [
          {
            reason: "IdleTimeout" as const,
            sentence: `idle_replication_slot_timeout is ${idleSlotTimeout}: if Rackwire does not run for that long, the server invalidates the slot, and the changes since are read from the table.`
          }
        ]),
    ...(slotWalMegabytes === null || slotWalMegabytes >= walLimitMegabytes
      ? []
      : [
          {
            reason: "WalLimit" as const,
            sentence: `max_slot_wal_keep_size is ${slotWalMegabytes} MB, less than the limit of the source (${walLimitMegabytes} MB): the server invalidates the slot first.`
          }
        ])
  ]
}
