/** Images that an earlier run left out, because it had no files or they were refused: a run that has them adds them. */
import { Effect } from "effect"
import { imageFieldsOf } from "../inventory/image/ImageField.ts"
import { type MovedImage, imagesHere, isNamed, leftOut, storePictures, withPictures } from "./Images.ts"
import { type NewRow, only, updateRows } from "./Load.ts"
import type { Finding, TypeReport } from "./Report.ts"
import type { SourceRow } from "./source/Convert.ts"
import type { ImageFiles } from "./source/Files.ts"
import type { Selection } from "./source/Selection.ts"
import { finishDigests, imagelessMark } from "./state/Moved.ts"

interface Adding {
  readonly files: ImageFiles | undefined
  readonly selection: Selection
  readonly report: TypeReport
  readonly note: (finding: Finding) => void
}

/** Writes the images alone, and never over one that somebody has added here. */
export const addImages = Effect.fnUntraced(function* (
  { files, selection, report, note }: Adding,
  sources: ReadonlyArray<SourceRow>
) {
  const { type, table } = selection
  if (files === undefined || sources.length === 0) return
  const fields = imageFieldsOf(type).filter(({ name }) => selection.fields.some((each) => each.name === name))
  const lacking = new Map<number, NewRow>(sources.map(({ id }) => [id, { id }]))
  for (const { name } of fields) {
    const here = yield* imagesHere(type, name, sources)
    for (const source of sources) {
      if (isNamed(source, name) && !here.has(source.id))
        lacking.set(source.id, { ...lacking.get(source.id)!, [name]: source[name] })
    }
  }
  const images: Array<MovedImage> = []
  for (const field of fields) {
    const rows = [...lacking.values()].filter((row) => isNamed(row, field.name))
    const found = yield* withPictures(type, files, rows, [field])
    const added = new Set(found.images.flatMap(({ id, reason }) => (reason === undefined ? [id] : [])))
    const names = [field.name, ...field.sides.map(([side]) => side)]
    const written = found.rows.filter(({ id }) => added.has(id)).map((row) => only(row, names))
    yield* updateRows(type, written, names)
    yield* storePictures(type, files, found.images)
    images.push(...found.images)
  }
  const left = leftOut(images)
  report.homeless += left.size
  for (const [id, values] of left) note({ kind: "homeless", table, id, values })
  const finished = sources.filter(({ id }) => !left.has(id)).map(({ id }) => id)
  yield* finishDigests(type, finished, imagelessMark)
  const count = new Set(images.flatMap(({ id, reason }) => (reason === undefined ? [id] : []))).size
  report.updated += count
  report.unchanged -= count
})
