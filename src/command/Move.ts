/** `move`: moves an existing NetBox into the inventory, from NetBox's database. The work is that of move/Move.ts. */
import { closeSync, existsSync, openSync, writeSync } from "node:fs"
import { resolve } from "node:path"
import { Cause, Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { requireKey } from "../inventory/Reseal.ts"
import { leftBehind, sourceAddress } from "../move/Address.ts"
import { move } from "../move/Move.ts"
import { reportLines } from "../move/Report.ts"
import { MoveRefused } from "../move/source/Source.ts"
import { keepRun } from "../move/state/Runs.ts"
import { verify, verifyLines, wrongIn } from "../move/Verify.ts"
import { database } from "../pipeline/Foundation.ts"
import { Postgres } from "../postgres/Postgres.ts"
import { ofService } from "./service/OfService.ts"
import { progressOn } from "./move/Progress.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

/** The usual file of details that does not exist: `rackwire-move.jsonl`, `rackwire-move-2.jsonl` and so on. */
const usualDetails = (): string => {
  let name = "rackwire-move.jsonl"
  for (let run = 2; existsSync(name); run++) name = `rackwire-move-${run}.jsonl`
  return name
}

/** Writes lines to a new file that its owner alone may read; an existing file is not overwritten. */
const openLines = (path: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const file = openSync(path, "wx", 0o600)
        return { file, write: (line: unknown) => writeSync(file, `${JSON.stringify(line)}\n`) }
      },
      catch: (error) => new CommandFailed({ message: `${path} cannot be made: ${(error as Error).message}` })
    }),
    ({ file }) => Effect.sync(() => closeSync(file))
  )

/** Whether pages may have been written before the run ended: it is refused before the first write. */
const isUnfinished = (cause: Cause.Cause<unknown>): boolean => !(Cause.squash(cause) instanceof MoveRefused)

const unfinished = Console.error(
  "The move is not finished. What is written stays: the same command continues where this one has ended."
)

/** The report as JSON is for programs, which are shown no progress. */
const progressFor = (json: boolean) =>
  json ? { progress: () => Effect.void, end: Effect.void } : progressOn(process.stderr)

interface MoveInput {
  readonly source: string
  readonly token: Option.Option<Redacted.Redacted>
  readonly dryRun: boolean
  readonly strict: boolean
  readonly fire: boolean
  readonly enableWebhooks: boolean
  readonly media: Option.Option<string>
  readonly keepIds: "yes" | "no"
  readonly prefer: Option.Option<"source" | "target">
  readonly verify: boolean
  readonly json: boolean
  readonly leftOut: Option.Option<string>
}

const run = Effect.fnUntraced(function* ({
  source,
  token,
  dryRun,
  strict,
  fire,
  enableWebhooks,
  media,
  keepIds,
  prefer,
  verify: isVerified,
  json,
  leftOut
}: MoveInput) {
  const { progress, end } = progressFor(json)
  const address = sourceAddress({ source, token: Option.getOrUndefined(token), needsAll: strict, progress })
  if ("problem" in address) return yield* new CommandFailed({ message: address.problem })
  // Capture could not open the message that says that no events are made.
  yield* requireKey
  const details = resolve(Option.getOrElse(leftOut, usualDetails))
  const lines = yield* openLines(details)
  yield* Effect.forEach(leftBehind(address.source), (line) => Console.error(line))
  const around = { source: address.source, note: lines.write, progress }
  if (isVerified) {
    const report = yield* verify(around)
    yield* end
    yield* Console.log(json ? JSON.stringify(report) : [...verifyLines(report), `Details: ${details}`].join("\n"))
    yield* keepRun("verify", report)
    const wrong = wrongIn(report)
    if (wrong > 0)
      return yield* new CommandFailed({ message: wrong === 1 ? "1 row differs." : `${wrong} rows differ.` })
    return
  }
  // Otherwise everything is one transaction, of which nothing stays.
  const isByPages = !dryRun && !strict && !fire
  const report = yield* move({
    ...around,
    isDryRun: dryRun,
    isStrict: strict,
    fires: fire,
    enablesWebhooks: enableWebhooks,
    keepsIds: keepIds === "yes",
    prefer: Option.getOrUndefined(prefer),
    media: Option.getOrUndefined(media)
  }).pipe(Effect.onError((cause) => (isByPages && isUnfinished(cause) ? Effect.andThen(end, unfinished) : Effect.void)))
  if (!dryRun) yield* keepRun("move", report)
  yield* end
  yield* Console.log(json ? JSON.stringify(report) : [...reportLines(report), `Details: ${details}`].join("\n"))
})

export default Command.make(
  "move",
  {
    source: Argument.String("source").pipe(
      Argument.withDescription(
        "Database of NetBox 3.1 to 4.2: postgresql://user:password@host/netbox; a role that may only read is enough. Or a running NetBox: https://netbox.example with --token"
      )
    ),
    token: Flag.Redacted("token").pipe(
      Flag.withDescription("Token of a superuser of NetBox, where the source is https:// or http://"),
      Flag.optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Read and check everything, and write nothing (default: write)"),
      Flag.withDefault(false)
    ),
    strict: Flag.Boolean("strict").pipe(
      Flag.withDescription(
        "Write nothing if a row is refused, or the token may not read everything (default: write the others)"
      ),
      Flag.withDefault(false)
    ),
    fire: Flag.Boolean("fire").pipe(
      Flag.withDescription("Make an event of each object, for which webhooks fire (default: none)"),
      Flag.withDefault(false)
    ),
    enableWebhooks: Flag.Boolean("enable-webhooks").pipe(
      Flag.withDescription("Leave webhooks enabled as they are in NetBox, which would send too (default: disabled)"),
      Flag.withDefault(false)
    ),
    media: Flag.Directory("media", { mustExist: true }).pipe(
      Flag.withDescription(
        "NetBox's media folder, MEDIA_ROOT, with the files of images (default: no images of a database)"
      ),
      Flag.optional
    ),
    keepIds: Flag.Literals("keep-ids", ["yes", "no"]).pipe(
      Flag.withDescription(
        "Whether ids that other objects have here end the move; with no, objects of NetBox get new ids for these (default: yes)"
      ),
      Flag.withDefault("yes" as const)
    ),
    prefer: Flag.Literals("prefer", ["source", "target"]).pipe(
      Flag.withDescription(
        "Which side counts where an object was changed on both since the last move (default: report)"
      ),
      Flag.optional
    ),
    verify: Flag.Boolean("verify").pipe(
      Flag.withDescription("Compare every field of every object on both sides, and change nothing (default: move)"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the report as JSON (default: text)"),
      Flag.withDefault(false)
    ),
    leftOut: Flag.String("left-out").pipe(
      Flag.withDescription(
        "New file for rows and values that are not stored as NetBox had them, as JSON lines (default: rackwire-move.jsonl, or -2, -3)"
      ),
      Flag.optional
    )
  },
  (asked) => run(asked).pipe(Effect.scoped, Effect.provide(Postgres.patient), ofService(database))
).pipe(
  Command.withDescription(
    "Move an existing NetBox into an inventory, with its ids and times; again later, to follow what changed there."
  ),
  entry({
    "move SOURCE [--token TOKEN] [--dry-run] [--strict] [--fire] [--enable-webhooks] [--media FOLDER] [--keep-ids no] [--prefer SIDE] [--verify] [--json] [--left-out FILE]":
      "Reads the database of NetBox 3.1 to 4.2, or its REST API with `--token`, and writes its objects under their ids. `--dry-run` does the same in one transaction, which it takes back."
  })
)
