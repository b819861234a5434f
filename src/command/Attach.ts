/** `attach`: reads the changes of a NetBox that stays where it is. The work is that of attach/ and source/. */
import { randomUUID } from "node:crypto"
import { Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { addSource, firstChange, sourceNamed, untilEnabled, untilRead } from "../attach/Attach.ts"
import { attachSql } from "../attach/AttachSql.ts"
import type { AttachError } from "../attach/AttachError.ts"
import { type AttachFacts, readFacts } from "../attach/Facts.ts"
import { judge } from "../attach/Prerequisites.ts"
import { readRules } from "../attach/Rules.ts"
import { makeWebhooks, settleSeconds, switchWebhooks } from "../attach/Switch.ts"
import { type Takeover, takeOver } from "../attach/Takeover.ts"
import { messagesVersion } from "../source/netbox/SwitchMessage.ts"
import { requireKey } from "../inventory/Reseal.ts"
import { foundation, migrateAll } from "../pipeline/Foundation.ts"
import { CommandFailed, entry } from "./service/Entry.ts"
import { ofService } from "./service/OfService.ts"

/** Time for the running service to begin to read, milliseconds. */
const readMillisMax = 20_000

interface AttachInput {
  readonly databaseUrl: string
  readonly name: string
  readonly api: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly web: Option.Option<string>
  readonly poll: boolean
  readonly slot: string
  readonly publication: string
  readonly walLimit: number
  readonly waitSeconds: number
  readonly printSql: boolean
  readonly dryRun: boolean
  readonly webhooks: boolean
  readonly switches: boolean
}

const run = Effect.fnUntraced(function* (input: AttachInput) {
  const { name, slot, publication, walLimit, poll, waitSeconds } = input
  const databaseUrl = Redacted.make(input.databaseUrl)
  const takesWebhooks = input.webhooks || input.switches
  const facts = yield* readFacts(databaseUrl, { slot, publication }, takesWebhooks).pipe(Effect.mapError(ofNetBox))
  if (input.printSql) return yield* Console.log(attachSql(facts, { role: facts.user, isNew: false }))
  const known = yield* sourceNamed(name).pipe(Effect.catch(() => Effect.succeed(undefined)))
  // The slot of a source that is read already is in use, by ourselves.
  if (known === undefined) yield* checked(facts, walLimit, poll)
  else if (!takesWebhooks) {
    return yield* new CommandFailed({
      message: `There is a source ${name} already: choose another --name, take its webhooks over with --webhooks, or detach it first.`
    })
  }
  const takeovers = takesWebhooks ? (yield* rulesOf(databaseUrl, facts)).map(takeOver) : []
  if (input.dryRun) {
    for (const line of takeovers.flatMap((each) => takeoverLines(each))) yield* Console.log(line)
    return yield* Console.log("Everything is there. Nothing was changed (--dry-run).")
  }
  const source = known ?? (yield* added(input, databaseUrl, facts))
  const problem = yield* untilRead(source, readMillisMax)
  if (problem !== undefined) {
    return yield* new CommandFailed({ message: `The source ${name} (${source}) is made, and not read yet: ${problem}` })
  }
  yield* Console.log(`The source ${name} (${source}) is read. Give a webhook this source to receive its changes.`)
  if (takesWebhooks) return yield* takenOver(input, { databaseUrl, facts, source, takeovers })
  yield* showFirst(source, waitSeconds)
})

const ofNetBox = ({ message }: AttachError) => new CommandFailed({ message: `The database of NetBox: ${message}` })

const rulesOf = (databaseUrl: Redacted.Redacted, facts: AttachFacts) =>
  Effect.mapError(readRules(databaseUrl, facts), ofNetBox)

const added = Effect.fnUntraced(function* (input: AttachInput, databaseUrl: Redacted.Redacted, facts: AttachFacts) {
  const { name, slot, publication, walLimit, poll } = input
  const apiUrl = Option.getOrUndefined(input.api)
  const apiToken = Option.getOrUndefined(input.token)
  const webUrl = Option.getOrUndefined(input.web)
  if ((apiUrl === undefined) !== (apiToken === undefined)) {
    return yield* new CommandFailed({ message: "--api and --token belong together: give both, or none." })
  }
  if (apiUrl === undefined) {
    yield* Console.log(
      "note   Without --api and --token, data of an event is made of NetBox's snapshot: references are ids."
    )
  }
  yield* migrateAll
  // The service could not open the address.
  yield* requireKey
  const mode = poll ? "poll" : "stream"
  const release = facts.release ?? ""
  const source = { name, databaseUrl, slot, publication, walLimit, apiUrl, apiToken, webUrl, mode, release } as const
  return yield* addSource(source, randomUUID())
})

const takeoverLines = ({ rule, fields, differences }: Takeover): ReadonlyArray<string> => [
  `${fields === undefined ? "left " : "taken"} ${rule.name} (${rule.table} ${rule.id})`,
  ...differences.map(({ sentence }) => `       ${sentence}`)
]

interface TakingOver {
  readonly databaseUrl: Redacted.Redacted
  readonly facts: AttachFacts
  readonly source: number
  readonly takeovers: ReadonlyArray<Takeover>
}

/** Makes NetBox's webhooks here, and switches them. */
const takenOver = Effect.fnUntraced(function* (
  input: AttachInput,
  { databaseUrl, facts, source, takeovers }: TakingOver
) {
  if (input.switches && input.poll) {
    return yield* new CommandFailed({ message: "--switch needs the stream: it has the position at which both change." })
  }
  if (input.switches && facts.version < messagesVersion) {
    return yield* new CommandFailed({
      message:
        "--switch needs Postgres 14 or later, whose stream has that position: use --webhooks, and switch each by hand."
    })
  }
  const made = yield* makeWebhooks(source, takeovers, randomUUID())
  for (const { takeover, id, sentences } of made) {
    yield* Console.log(
      `${id === undefined ? "left " : `taken`} ${takeover.rule.name}${id === undefined ? "" : `: webhook ${id}`}`
    )
    for (const sentence of sentences) yield* Console.log(`       ${sentence}`)
  }
  if (!input.switches)
    return yield* Console.log("The webhooks are disabled here; NetBox sends them still. --switch switches them.")
  yield* Console.log(`Switching: requests that change something wait in NetBox for ${settleSeconds} seconds.`)
  const switched = yield* Effect.mapError(switchWebhooks(databaseUrl, facts, source, made), ofNetBox)
  const ids = switched.flatMap(({ id }) => id ?? [])
  const enabled = yield* untilEnabled(ids, readMillisMax)
  if (enabled < ids.length) {
    return yield* new CommandFailed({
      message: `${ids.length} webhooks are disabled in NetBox, and ${enabled} of them enabled here so far: they follow when the service reads the source.`
    })
  }
  yield* Console.log(`${ids.length} webhooks are sent by Rackwire now, and by NetBox no more.`)
})

/** Prints what is missing; fails if anything is. */
const checked = Effect.fnUntraced(function* (facts: AttachFacts, walLimit: number, poll: boolean) {
  const { missing, risks } = judge(facts, walLimit)
  const needed = missing.filter(({ reason }) => !poll || !onlyForStreams.has(reason))
  for (const { sentence, sql } of needed) {
    yield* Console.log(`CHANGE ${sentence}`)
    for (const statement of sql) yield* Console.log(`       ${statement}`)
  }
  for (const { sentence } of risks) yield* Console.log(`note   ${sentence}`)
  if (needed.length === 0) return
  const hint = "Nothing was changed. --print-sql prints all statements for an administrator."
  return yield* new CommandFailed({
    message: `${needed.length === 1 ? "One prerequisite is" : `${needed.length} prerequisites are`} missing. ${hint}`
  })
})

/** Prerequisites of logical replication: a source that is polled needs none of them. */
const onlyForStreams: ReadonlySet<string> = new Set([
  ...["WalLevel", "Slots", "Senders", "Pooler", "Host", "Replication", "Refused", "Standby"],
  ...["Publication", "PublicationTable", "PublicationOperations", "PublicationFilter", "SlotActive", "SlotForeign"]
])

const showFirst = Effect.fnUntraced(function* (source: number, waitSeconds: number) {
  if (waitSeconds === 0) return
  yield* Console.log(`Change an object in NetBox: its event is shown here, for ${waitSeconds} seconds.`)
  const change = yield* firstChange(source, waitSeconds * 1000)
  if (change === undefined) return yield* Console.log("There was no change. The source is read all the same.")
  const { action, type, display, user, time, data } = change
  yield* Console.log(`First change: ${type} ${display} was ${action} by ${user} at ${time}; data: ${data}`)
})

export default Command.make(
  "attach",
  {
    databaseUrl: Argument.String("database-url").pipe(
      Argument.withDescription("Database of NetBox 3.1 or later: postgresql://user:password@host/netbox")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Name of the source"), Flag.withDefault("netbox")),
    api: Flag.String("api").pipe(
      Flag.withDescription("URL of NetBox, such as https://netbox.example.com: data is what its API shows"),
      Flag.optional
    ),
    token: Flag.Redacted("token").pipe(
      Flag.withDescription("Token of NetBox that may view the objects"),
      Flag.optional
    ),
    web: Flag.String("web").pipe(
      Flag.withDescription("URL of NetBox for people, where it is not that of --api: links lead there"),
      Flag.optional
    ),
    poll: Flag.Boolean("poll").pipe(
      Flag.withDescription("Read the table every second, where no logical replication can be had (default: stream)"),
      Flag.withDefault(false)
    ),
    slot: Flag.String("slot").pipe(
      Flag.withDescription("Name of the replication slot"),
      Flag.withDefault("rackwire_netbox")
    ),
    publication: Flag.String("publication").pipe(
      Flag.withDescription("Name of the publication"),
      Flag.withDefault("rackwire")
    ),
    walLimit: Flag.Int("wal-limit").pipe(
      Flag.withDescription("Megabytes of WAL that NetBox's server may keep for the slot, which is dropped beyond"),
      Flag.withDefault(2048)
    ),
    waitSeconds: Flag.Int("wait").pipe(
      Flag.withDescription("Seconds to wait for the first change; 0 for none"),
      Flag.withDefault(60)
    ),
    printSql: Flag.Boolean("print-sql").pipe(
      Flag.withDescription("Print the statements for an administrator, and change nothing (default: attach)"),
      Flag.withDefault(false)
    ),
    webhooks: Flag.Boolean("webhooks").pipe(
      Flag.withDescription("Make NetBox's webhooks and event rules here too, disabled (default: none)"),
      Flag.withDefault(false)
    ),
    switches: Flag.Boolean("switch").pipe(
      Flag.withDescription("The same, and disable each there and enable it here, at one position (default: do not)"),
      Flag.withDefault(false)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Check everything, and change nothing (default: attach)"),
      Flag.withDefault(false)
    )
  },
  (asked) => run(asked).pipe(Effect.scoped, ofService(foundation))
).pipe(
  Command.withDescription("Read the changes of a NetBox that stays where it is, for reliable webhooks."),
  entry({
    "attach DATABASE-URL [--api URL --token TOKEN] [--web URL] [--name NAME] [--poll] [--dry-run] [--print-sql] [--wait SECONDS]":
      "Checks what NetBox's database needs, makes a source of it, and shows the first change. Nothing is moved, and nothing is installed in NetBox.",
    "attach DATABASE-URL --webhooks [--switch] [--name NAME] [--dry-run]":
      "Makes the webhooks and event rules of NetBox here, disabled, and says what differs. `--switch` then disables each there and enables it here, so that no change is sent by both or by none."
  })
)
