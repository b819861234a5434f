/** The card beside the form of a type, within the form: it sees the input. */
import type { Html } from "../Html.ts"
import { matchesPane } from "../builder/MatchesPane.ts"
import { workbench } from "../workbench/Pane.ts"

const cards: ReadonlyMap<string, (id: number | undefined) => Html> = new Map([
  ["extras.webhook", workbench],
  ["users.objectpermission", matchesPane]
])

/** `id`: the object that the form changes. Undefined for types whose form has nothing beside it. */
export const besideForm = (type: string, id: number | undefined): Html | undefined => cards.get(type)?.(id)
