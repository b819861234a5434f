/** NetBox' webhooks and event rules as webhooks of ours, with what differs. Pure. */
import { Redacted } from "effect"
import { isDictionary } from "../inventory/Field.ts"
import { ConditionError, isEmpty, parse } from "../match/Condition.ts"
import { tableIn } from "./AttachSql.ts"
import type { AttachFacts } from "./Facts.ts"

/** A row of a table of NetBox; null where it is too large to be read. */
type SourceRow = Readonly<Record<string, unknown>> | null

/** A rule that fires: to 3.6 a webhook, later an event rule, whose webhook has the request. */
export interface NetBoxRule {
  /** `extras_webhook` from 3.7 on: a webhook that no rule names. */
  readonly table: "extras_webhook" | "extras_eventrule"
  readonly id: string
  readonly name: string
  readonly row: SourceRow
  /** The webhook of an event rule; undefined if it does not exist. */
  readonly webhook: SourceRow | undefined
  /** `dcim.site`, by NetBox' own names. */
  readonly types: ReadonlyArray<string>
}

/** Fields of `extras.webhook`, without the secret. */
interface WebhookFields {
  readonly name: string
  readonly description: string
  readonly enabled: false
  readonly content_types: ReadonlyArray<string>
  readonly type_create: boolean
  readonly type_update: boolean
  readonly type_delete: boolean
  readonly payload_url: string
  readonly http_method: string
  readonly http_content_type: string
  readonly additional_headers: string
  readonly body_template: string
  readonly conditions: unknown
  readonly ssl_verification: boolean
  readonly ca_file_path: string | null
  readonly timeout: unknown
}

/**
 * Reasons of differences. For the first seven a rule is not taken over.
 *
 * - `Action`: it runs a script or notifies people.
 * - `NoWebhook`, `NoRule`: a rule without its webhook, a webhook without a rule.
 * - `NoEvents`, `NoTypes`: it has no event, or no type, of objects.
 * - `Conditions`: they are no conditions of ours.
 * - `TooLarge`: it is longer than `ruleBytesMax`.
 * - `JobEvents`: it has other events than those of objects as well.
 * - `ActionData`: it adds values to `data`.
 * - `CaFile`: it names a file on the host of NetBox.
 * - `Disabled`: it is disabled in NetBox.
 */
type DifferenceReason =
  | ("Action" | "NoWebhook" | "NoRule" | "NoEvents" | "NoTypes" | "Conditions" | "TooLarge")
  | ("JobEvents" | "ActionData" | "CaFile" | "Disabled")

interface Difference {
  readonly reason: DifferenceReason
  readonly sentence: string
}

export interface Takeover {
  readonly rule: Pick<NetBoxRule, "table" | "id" | "name">
  /** Whether NetBox sends it now. */
  readonly isEnabled: boolean
  /** Disabled, until NetBox does not send it any more; undefined if it is not taken over. */
  readonly fields: WebhookFields | undefined
  readonly secret: Redacted.Redacted
  readonly differences: ReadonlyArray<Difference>
}

/** Longest rule, and longest webhook, that are read, bytes. */
export const ruleBytesMax = 262_144

/** Keys and events that a sentence names, and the length of each. */
const namedMax = 10
const nameCharsMax = 100

/** Translates a rule. */
export const takeOver = (rule: NetBoxRule): Takeover => {
  const { table, id, name, row, types } = rule
  const events = eventsOf(row ?? {})
  const isEnabled = row?.["enabled"] === true
  const refusal = refusalOf(rule, events)
  const request = (table === "extras_eventrule" ? rule.webhook : row) ?? {}
  const taken = { rule: { table, id, name }, isEnabled, secret: Redacted.make(textOf(request["secret"])) }
  if (refusal !== undefined) return { ...taken, fields: undefined, differences: [refusal] }
  return {
    ...taken,
    fields: {
      name,
      description: textOf(row!["description"]),
      enabled: false,
      content_types: types,
      ...{ type_create: events.isCreate, type_update: events.isUpdate, type_delete: events.isDelete },
      payload_url: textOf(request["payload_url"]),
      http_method: textOf(request["http_method"]),
      http_content_type: textOf(request["http_content_type"]),
      additional_headers: textOf(request["additional_headers"]),
      body_template: textOf(request["body_template"]),
      conditions: isEmpty(row!["conditions"]) ? null : row!["conditions"],
      ssl_verification: request["ssl_verification"] !== false,
      ca_file_path: textOf(request["ca_file_path"]) || null,
      timeout: request["timeout"] ?? null
    },
    differences: differencesOf(rule, events, request)
  }
}

/** The one change of one column by which NetBox sends a rule no more. */
export const switchSql = ({ rule }: Takeover, facts: Pick<AttachFacts, "schema">): string =>
  `update ${tableIn(facts, rule.table)} set enabled = false where id = ${BigInt(rule.id)} and enabled;`

interface RuleEvents {
  readonly isCreate: boolean
  readonly isUpdate: boolean
  readonly isDelete: boolean
  /** Names of events that are none of objects. */
  readonly others: ReadonlyArray<string>
}

const objectEvents: ReadonlySet<string> = new Set(["object_created", "object_updated", "object_deleted"])

const eventsOf = (row: Readonly<Record<string, unknown>>): RuleEvents => {
  const listed = row["event_types"]
  // From 4.1 on a list, before that a column each.
  const names = Array.isArray(listed)
    ? listed.map(textOf)
    : Object.entries(columns).flatMap(([column, name]) => (row[column] === true ? [name] : []))
  return {
    isCreate: names.includes("object_created"),
    isUpdate: names.includes("object_updated"),
    isDelete: names.includes("object_deleted"),
    others: names.filter((name) => !objectEvents.has(name))
  }
}

const columns = {
  type_create: "object_created",
  type_update: "object_updated",
  type_delete: "object_deleted",
  type_job_start: "job_started",
  type_job_end: "job_completed"
}

/** Why a rule is not taken over; undefined if it is. */
const refusalOf = (
  { table, row, webhook, types }: NetBoxRule,
  { isCreate, isUpdate, isDelete }: RuleEvents
): Difference | undefined => {
  const refused = (reason: DifferenceReason, sentence: string): Difference => ({ reason, sentence })
  const tooLarge = refused("TooLarge", `It is longer than ${ruleBytesMax / 1024} KiB.`)
  if (row === null) return tooLarge
  if (table === "extras_eventrule") {
    const action = textOf(row["action_type"])
    if (action !== "webhook")
      return refused("Action", `Its action is ${shortened(action)}: only webhooks are taken over.`)
    if (webhook === undefined) return refused("NoWebhook", "Its webhook does not exist any more.")
    if (webhook === null) return tooLarge
  } else if (!("payload_url" in row && "type_create" in row)) {
    return refused("NoRule", "No event rule names this webhook, so NetBox never sends it.")
  }
  if (!isCreate && !isUpdate && !isDelete) {
    return refused("NoEvents", "It has no events of objects: events of jobs are not taken over.")
  }
  if (types.length === 0) return refused("NoTypes", "It has no object types, so NetBox never sends it.")
  const problem = conditionsProblem(row["conditions"])
  return problem === undefined ? undefined : refused("Conditions", `Its conditions are refused here: ${problem}`)
}

const conditionsProblem = (conditions: unknown): string | undefined => {
  if (isEmpty(conditions)) return undefined
  try {
    parse(conditions)
    return undefined
  } catch (error) {
    if (error instanceof ConditionError) return error.message
    throw error
  }
}

const differencesOf = (
  { row }: NetBoxRule,
  { others }: RuleEvents,
  request: Readonly<Record<string, unknown>>
): ReadonlyArray<Difference> => {
  const data = row!["action_data"]
  const keys = isDictionary(data) ? Object.keys(data) : []
  const difference = (applies: boolean, reason: DifferenceReason, sentence: string): ReadonlyArray<Difference> =>
    applies ? [{ reason, sentence }] : []
  return [
    ...difference(
      others.length > 0,
      "JobEvents",
      `Its events ${listOf(others)} are not sent: only those of objects are.`
    ),
    ...difference(
      keys.length > 0,
      "ActionData",
      `NetBox merges action_data (${listOf(keys)}) into data, under the keys of the object. Write these values into body_template.`
    ),
    ...difference(
      textOf(request["ca_file_path"]) !== "",
      "CaFile",
      "ca_file_path names a file on the host of NetBox. Copy it into WEBHOOK_CA_DIRECTORY, or put the certificate into ca_certificate."
    ),
    ...difference(row!["enabled"] !== true, "Disabled", "It is disabled in NetBox, and stays disabled.")
  ]
}

const listOf = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, namedMax).map(shortened).join(", ")
  return names.length > namedMax ? `${shown} and ${names.length - namedMax} more` : shown
}

const shortened = (name: string): string => (name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name)

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
