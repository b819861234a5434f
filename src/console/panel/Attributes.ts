/** Attributes of an object under a title of their own, for which the type names them. */
import { Effect } from "effect"
import { attributeList } from "../object/Attributes.ts"
import { card, drawing, panelId } from "./Panel.ts"

export default drawing("attributes", "main", ({ title, fields }, { type, shown }) =>
  Effect.succeed(card(panelId(title), title, attributeList(type, fields, shown)))
)
