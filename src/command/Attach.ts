/** `attach`: reads the changes of a NetBox that stays where it is. The work is that of attach/ and source/. */
import { randomUUID } from "node:crypto"
import { Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { addSource, firstChange, sourceNamed, untilRead } from "../attach/Attach.ts"
import { attachSql } from "../attach/AttachSql.ts"
import { type AttachFacts, readFacts } from "../attach/Facts.ts"
import { judge } from "../attach/Prerequisites.ts"
import { requireKey } from "../inventory/Reseal.ts"
import { foundation, migrateAll } from "../pipeline/Foundation.ts"
import { CommandFailed, entry } from "./Entry.ts"
import { ofService } from "./service/OfService.ts"

/** Time for the running service to begin to read, milliseconds. */
const readMillisMax = 20_000

interface AttachInput {
  readonly databaseUrl: string
  readonly name: string
  readonly api: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly poll: boolean
  readonly slot: string
  readonly publication: string
  readonly walLimit: number
  readonly waitSeconds: number
  readonly printSql: boolean
  readonly dryRun: boolean
}

const run = Effect.fnUntraced(function* (input: AttachInput) {
  const { name, slot, publication, walLimit, poll, waitSeconds } = input
  const databaseUrl = Redacted.make(input.databaseUrl)
  const facts = yield* readFacts(databaseUrl, { slot, publication }, false).pipe(
    Effect.mapError(({ message }) => new CommandFailed({ message: `The database of NetBox: ${message}` }))
  )
  if (input.printSql) return yield* Console.log(attachSql(facts, { role: facts.user, isNew: false }))
  yield* checked(facts, walLimit, poll)
  const api = Option.getOrUndefined(input.api)
  const token = Option.getOrUndefined(input.token)
  if ((api === undefined) !== (token === undefined)) {
    return yield* new CommandFailed({ message: "--api and --token belong together: give both, or none." })
  }
  if (api === undefined) {
    yield* Console.log(
      "note  Without --api and --token, data of an event is made of NetBox's snapshot: references are ids."
    )
  }
  if (input.dryRun) return yield* Console.log("Everything is there. Nothing was changed (--dry-run).")
  yield* migrateAll
  // The service could not open the address.
  yield* requireKey
  if ((yield* sourceNamed(name)) !== undefined) {
    return yield* new CommandFailed({
      message: `There is a source ${name} already: choose another --name, or detach it first.`
    })
  }
  const source = yield* addSource(
    {
      ...{ name, databaseUrl, slot, publication, walLimit },
      ...{ apiUrl: api, apiToken: token, mode: poll ? "poll" : "stream", release: facts.release ?? "" }
    },
    randomUUID()
  )
  const problem = yield* untilRead(source, readMillisMax)
  if (problem !== undefined) {
    return yield* new CommandFailed({ message: `The source ${name} (${source}) is made, and not read yet: ${problem}` })
  }
  yield* Console.log(`The source ${name} (${source}) is read. Give a webhook this source to receive its changes.`)
  yield* showFirst(source, waitSeconds)
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
    poll: Flag.Boolean("poll").pipe(
      Flag.withDescription("Read the table every second, where no logical replication can be had (default: stream)"),
      Flag.withDefault(false)
    ),
    slot: Flag.String("slot").pipe(Flag.withDescription("Name of the replication slot"), Flag.withDefault("rackwire")),
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
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Check everything, and change nothing (default: attach)"),
      Flag.withDefault(false)
    )
  },
  (asked) => run(asked).pipe(Effect.scoped, ofService(foundation))
).pipe(
  Command.withDescription("Read the changes of a NetBox that stays where it is, for reliable webhooks."),
  entry({
    "attach DATABASE-URL [--api URL --token TOKEN] [--name NAME] [--poll] [--dry-run] [--print-sql] [--wait SECONDS]":
      "Checks what NetBox's database needs, makes a source of it, and shows the first change. Nothing is moved, and nothing is installed in NetBox."
  })
)
