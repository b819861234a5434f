/** The webhooks that listen to the object. */
import { coveringCard } from "../object/Covering.ts"
import { drawing } from "./Panel.ts"

export default drawing("webhooks", "side", (_, { type }) => coveringCard(type))
