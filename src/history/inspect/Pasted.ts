/** An event that somebody pasted, as a receiver gets it, in the shape of the change log. Pure. */
import { actionOf } from "../../event/Kind.ts"
import { type Messages, isDictionary } from "../../inventory/Field.ts"
import { registry } from "../../inventory/Registry.ts"
import type { LoggedEvent } from "../../changelog/LoggedEvent.ts"

/** `types` are those of the webhook: a model's name may be that of several types. What has no place in an event is left out. */
export const pastedEvent = (
  pasted: unknown,
  types: ReadonlyArray<string>
): { readonly event: LoggedEvent } | { readonly errors: Messages } => {
  if (!isDictionary(pasted)) return { errors: ["An event is a JSON object."] }
  const { event: kind, model, data, snapshots } = pasted
  if (kind !== "created" && kind !== "updated" && kind !== "deleted")
    return { errors: [`"event" must be "created", "updated" or "deleted".`] }
  const type = [...types, ...registry.keys()].find((id) => id.split(".")[1] === model)
  if (type === undefined) return { errors: [`"model" must be the name of an object type, such as "site".`] }
  if (!isDictionary(data)) return { errors: [`"data" must be a JSON object.`] }
  const { prechange = null, postchange = null } = isDictionary(snapshots) ? snapshots : {}
  const text = (name: string) => (typeof pasted[name] === "string" ? pasted[name] : "")
  const event = {
    ...{ position: "0", idx: "0", action: actionOf[kind], object_type: type, object_id: `${Number(data["id"]) || 0}` },
    ...{
      request_id: text("request_id"),
      event_time: text("timestamp"),
      user_name: text("username"),
      request: null,
      message: "",
      source: null
    },
    ...{ data: JSON.stringify(data), prechange: JSON.stringify(prechange), postchange: JSON.stringify(postchange) }
  }
  return { event }
}
