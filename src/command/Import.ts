/**
 * `import device-types`: sends a folder of the device type library to a running service, which creates its device types
 * and module types with all components, and their manufacturers.
 *
 * Several files are sent in one request, all or nothing; where some are refused, they are reported and the others sent again.
 */
import { resolve } from "node:path"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed, entry } from "./service/Entry.ts"
import {
  type Folder,
  type Kind,
  type LibraryFile,
  batchesOf,
  folderAt,
  readLibraryFile
} from "./import/LibraryFiles.ts"
import { type FileError, type LibraryReport, sendFiles } from "./import/Send.ts"
import { account } from "./mcp/Account.ts"
import type { Account } from "./mcp/Rest.ts"

const failed = (error: unknown) =>
  new CommandFailed({ message: error instanceof Error ? error.message : String(error) })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })

interface Sending {
  readonly account: Account
  readonly kind: Kind
  readonly isDryRun: boolean
}

/** Sends files until the service accepts all that are left; returns its report and the errors of the others. */
const sendBatch = Effect.fnUntraced(function* (
  { account, kind, isDryRun }: Sending,
  batch: ReadonlyArray<LibraryFile>
) {
  const refused: Array<FileError> = []
  let left = batch
  while (left.length > 0) {
    const files = left
    const outcome = yield* attempt(() => sendFiles(account, kind, files, isDryRun))
    if ("report" in outcome) return { report: outcome.report, refused }
    refused.push(...outcome.errors)
    const wrong = new Set(outcome.errors.map(({ file }) => file))
    left = left.filter(({ name }) => !wrong.has(name))
  }
  return { report: undefined, refused }
})

const importFolder = Effect.fnUntraced(function* (folder: string, isDryRun: boolean) {
  const sender = yield* account
  const found = yield* attempt(() => folderAt(resolve(folder)))
  const kinds = ["device-types", "module-types"] as const
  const all = kinds.flatMap((kind) => found.files[kind]).length
  if (all === 0) return yield* new CommandFailed({ message: `There are no YAML files in ${resolve(folder)}.` })
  const refused: Array<FileError> = []
  const reports: Array<LibraryReport> = []
  const refuse = (errors: ReadonlyArray<FileError>) =>
    Effect.forEach(errors, (error) => {
      refused.push(error)
      return Console.error(`${error.file}:${error.line}: ${error.message}`)
    })
  let done = 0
  for (const kind of kinds) {
    const files: Array<LibraryFile> = []
    for (const name of found.files[kind]) {
      const file = yield* attempt(() => readLibraryFile(name))
      if (typeof file !== "string") files.push(file)
      else {
        done++
        yield* refuse([{ file: name, line: 1, message: file }])
      }
    }
    for (const batch of batchesOf(files)) {
      const { report, refused: wrong } = yield* sendBatch({ account: sender, kind, isDryRun }, batch)
      yield* refuse(wrong)
      if (report !== undefined) reports.push(report)
      done += batch.length
      const { created, unchanged, templates } = sumOf(reports)
      const said = isDryRun ? "would be created" : "created"
      yield* Console.log(
        `${done} of ${all} files: ${created} types with ${templates} components ${said}, ${unchanged} unchanged`
      )
    }
  }
  yield* conclude(found, reports)
  const files = new Set(refused.map(({ file }) => file)).size
  if (files > 0) {
    const message = `${files} of ${all} files ${files === 1 ? "was" : "were"} refused; nothing of them was written.`
    return yield* new CommandFailed({ message })
  }
})

const sumOf = (reports: ReadonlyArray<LibraryReport>) => {
  const sum = (count: (report: LibraryReport) => number) => reports.reduce((total, report) => total + count(report), 0)
  return {
    created: sum(({ created }) => created),
    unchanged: sum(({ unchanged }) => unchanged),
    templates: sum(({ templates }) => templates),
    pictures: sum(({ pictures }) => pictures)
  }
}

/** Reports what is not imported. */
const conclude = Effect.fnUntraced(function* (found: Folder, reports: ReadonlyArray<LibraryReport>) {
  const manufacturers = new Set(reports.flatMap((report) => report.manufacturers))
  const ignored = [...new Set(reports.flatMap((report) => report.ignored ?? []))].sort()
  const { pictures } = sumOf(reports)
  yield* Console.log(`manufacturers: ${manufacturers.size} new`)
  yield* Console.log(`pictures: ${pictures} named by types, ${found.pictures} files; none is imported`)
  if (ignored.length > 0) yield* Console.log(`keys without a field here: ${ignored.join(", ")}`)
  if (found.others.length > 0) yield* Console.log(`files of rack types: ${found.others.length}; none is imported`)
})

const deviceTypes = Command.make(
  "device-types",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Folder of the library, or one within it; its YAML files are of a type each")
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only check the files (default: import them)"),
      Flag.withDefault(false)
    )
  },
  ({ folder, dryRun }) => importFolder(folder, dryRun)
).pipe(Command.withDescription("Import device types and module types from files of the device type library."))

export default Command.make("import").pipe(
  Command.withDescription("Import files into a running service, with the rights of a token."),
  Command.withSubcommands([deviceTypes]),
  entry({
    "import device-types FOLDER [--dry-run]":
      "Creates device types, module types, their components and manufacturers from files of the community's device type library. Types that exist stay as they are."
  })
)
