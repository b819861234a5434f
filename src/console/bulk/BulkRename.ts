/** `/<app>/<type>/rename/`: finds and replaces in the names of the selected objects, after a preview. */
import { Effect, Result } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { inWritingTime } from "../../http/objects/Limits.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { namesByIds } from "../../inventory/read/Ids.ts"
import { rolledBack } from "../../inventory/write/Transaction.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { PatternError } from "../../pattern/PatternError.ts"
import { type Html, html } from "../Html.ts"
import { bulkPage, bulkRoutes, counted, done, listOf, movedOn, selectedCard } from "./BulkPage.ts"
import { objectErrors } from "./ObjectErrors.ts"
import { renameForm, renamePreview } from "./RenameForm.ts"
import { type Renaming, renamer } from "./Renaming.ts"
import { type Selection, markOf, namesOf } from "./Selection.ts"
import { isRenamed } from "../list/BulkBar.ts"

interface NameChange {
  readonly id: number
  readonly from: string
  readonly to: string
}

/** The objects whose name changes, in the order of the selection; or why the names cannot be found. */
const renamedBy = Effect.fnUntraced(function* (type: ObjectType, { ids }: Selection, renaming: Renaming) {
  const names = yield* namesByIds(type, ids)
  const rename = told(() => renamer(renaming))
  if (rename instanceof PatternError) return rename
  const renamed = yield* mapInSlices(ids, (id) => {
    const from = names.get(id) ?? ""
    const to = told(() => rename(from))
    return to instanceof PatternError ? to : { id, from, to }
  })
  const wrong = renamed.find((each) => each instanceof PatternError)
  return wrong ?? renamed.filter((each): each is NameChange => !(each instanceof PatternError) && each.from !== each.to)
})

const told = <A>(act: () => A): A | PatternError => {
  try {
    return act()
  } catch (error) {
    if (error instanceof PatternError) return error
    throw error
  }
}

const formPage = Effect.fnUntraced(function* (
  type: ObjectType,
  request: Request,
  selected: Selection,
  renaming: Renaming,
  problem = ""
) {
  const named = yield* namesOf(type, selected.ids, request.base)
  return yield* bulkPage(type, request, {
    title: `Rename ${counted(type, selected.ids.length)}`,
    main: html`${renameForm({ request, selected, renaming, problem, cancel: listOf(type, request) })}
    ${selectedCard(type, selected, named)}`,
    status: problem === "" ? 200 : 400
  })
})

interface RenamePreview {
  readonly renaming: Renaming
  readonly renamed: ReadonlyArray<NameChange>
  /** Mark of the names and of how they were found: only the same names are written. */
  readonly mark: string
}

const previewPage = (
  type: ObjectType,
  request: Request,
  selected: Selection,
  { renaming, renamed, mark }: RenamePreview,
  problem?: Html
) =>
  bulkPage(type, request, {
    title: `Rename ${counted(type, renamed.length)}`,
    main: html`${problem ?? ""}${renamePreview({
      ...{ type, request, selected, renaming, renamed, mark },
      isRefused: problem !== undefined && problem !== movedOn
    })}`,
    status: problem === undefined ? 200 : problem === movedOn ? 409 : 400
  })

const writeNames = (type: ObjectType, renamed: ReadonlyArray<NameChange>, { author }: Request) =>
  update(
    type,
    renamed.map(({ id, to }) => ({ id, body: { name: to } })),
    false,
    author
  )

export default bulkRoutes("rename", "change", (type) =>
  !isRenamed(type)
    ? undefined
    : (request, selected, form) =>
        Effect.gen(function* () {
          const text = (name: string) => form.get(name) ?? ""
          const renaming = { find: text("find"), replace: text("replace"), isPattern: form.has("pattern") }
          const step = text("step")
          if (step === "") return yield* formPage(type, request, selected, renaming)
          if (renaming.find === "") {
            return yield* formPage(type, request, selected, renaming, "Enter the text to find.")
          }
          const renamed = yield* renamedBy(type, selected, renaming)
          if (renamed instanceof PatternError) {
            return yield* formPage(type, request, selected, renaming, `Not a pattern: ${renamed.message}.`)
          }
          if (renamed.length === 0) {
            return yield* formPage(type, request, selected, renaming, "No selected name would change.")
          }
          const previewed = { renaming, renamed, mark: markOf([renaming, renamed]) }
          const isMoved = step === "apply" && text("previewed") !== previewed.mark
          const isTrial = step !== "apply" || isMoved
          const write = writeNames(type, renamed, request)
          const written = yield* Effect.result(inWritingTime(isTrial ? rolledBack(write) : write))
          if (Result.isFailure(written)) {
            if (!(written.failure instanceof WriteRefused)) return yield* written.failure
            const { errors } = written.failure
            const wrong = renamed.flatMap(({ id, from }, at) =>
              Object.keys(errors[at] ?? {}).length === 0 ? [] : [{ id, display: from, errors: errors[at]! }]
            )
            return yield* previewPage(type, request, selected, previewed, objectErrors(type, wrong, form))
          }
          if (isTrial) return yield* previewPage(type, request, selected, previewed, isMoved ? movedOn : undefined)
          return done(
            "saved",
            type,
            request,
            written.success.map(({ id }) => id)
          )
        })
)
