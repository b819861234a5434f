/** The declared panels of an object, drawn. The files of `panel/` are found by their folder. */
import { Effect } from "effect"
import { entriesOf, modulesBelow } from "../../Folder.ts"
import type { Panel, PanelKind } from "../../inventory/page/Panel.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import type { Html } from "../Html.ts"
import type { About, Drawing, Place } from "../panel/Panel.ts"
import { type Related, namesNone } from "../value/Related.ts"

const folder = new URL("../panel/", import.meta.url)

const drawings: ReadonlyMap<PanelKind, Drawing> = new Map(
  (await entriesOf<Drawing>(folder, modulesBelow(folder))).map((each) => [each.kind, each])
)

/** Throws if a type declares a panel that no file draws, so the process does not start. */
export const drawingOf = ({ kind }: Panel, type: string): Drawing => {
  const found = drawings.get(kind)
  if (found === undefined) throw new Error(`${type} declares a panel that the console cannot draw: ${kind}`)
  return found
}

for (const { id, panels } of registry.values()) for (const panel of panels) drawingOf(panel, id)

/** Whether the page of an object has parts that are updated while it is open. */
export const hasLivePanel = ({ id, panels }: ObjectType): boolean => panels.some((panel) => drawingOf(panel, id).isLive)

/**
 * The panels of an object by their place, in the order of the declaration. `related` are the counts of what points at
 * it: a panel of children without any is not read.
 */
export const panelsOf = Effect.fnUntraced(function* (about: About, related: Related) {
  const drawn: Record<Place, Array<Html>> = { first: [], main: [], side: [], wide: [] }
  for (const panel of about.type.panels) {
    if (panel.kind === "children" && namesNone(related, about.type, panel.type, panel.field)) continue
    const { place, draw } = drawingOf(panel, about.type.id)
    const found = yield* draw(panel, about)
    if (found !== undefined) drawn[place].push(found)
  }
  return drawn as Readonly<Record<Place, ReadonlyArray<Html>>>
})
