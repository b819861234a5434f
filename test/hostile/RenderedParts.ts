/** Webhooks whose templates give addresses and headers of a size that no request can have. */
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import type { Receiver } from "../support/Receiver.ts"

/** By the name of the webhook: its fields, and the message of its delivery. */
const attacks = (url: string): Readonly<Record<string, readonly [fields: Json, message: RegExp]>> => {
  const tooLong = (part: string) => new RegExp(`^The ${part} would have [\\d,]+ characters, and [\\d,]+ are the most.$`)
  return {
    "tabs before an address": [{ payload_url: `http://{{ "\\t" * 80000 }}a.example/@` }, tooLong("address")],
    "tabs of the data": [{ payload_url: "http://{{ data.comments[1:-1] }}a.example/@" }, tooLong("address")],
    "user information": [{ payload_url: `http://{{ "u:" * 250000 }}@a.example/` }, tooLong("address")],
    "header lines": [{ payload_url: url, additional_headers: `{{ "X:" * 250000 }}` }, tooLong("headers")],
    "a header": [
      { payload_url: url, additional_headers: `X-A: {{ "b" * 65000 }}` },
      /^additional_headers: Line 1 is longer than/
    ]
  }
}

/** Makes the webhooks and an object for them; returns by name whether the delivery failed for its length alone. */
export const attack = async (api: Api, receiver: Receiver): Promise<ReadonlyArray<readonly [string, boolean]>> => {
  const all = Object.entries(attacks(receiver.url))
  const made = await api.call<ReadonlyArray<{ readonly id: number }>>(
    "POST",
    "/api/extras/webhooks/",
    all.map(([name, [fields]]) => ({
      ...{ name, ...fields, content_types: ["dcim.site"], type_create: true },
      retry_schedule: { kind: "list", delays: [] }
    }))
  )
  if (made.status !== 201) throw new Error(made.text)
  await api.make("dcim/sites", { ...named("Long"), comments: `<${"\t".repeat(500_000)}>` })
  return eventually("every delivery ended", async () => {
    const path = "/api/extras/deliveries/?status=failed&limit=1000"
    const { results } = (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", path)).json
    const ended = all.map(([name, [, message]], at) => {
      const found = results.find(({ webhook }) => (webhook as Json)["id"] === made.json[at]!.id)
      return found && ([name, message.test(String(found["message"]))] as const)
    })
    return ended.every((each) => each !== undefined) && ended
  })
}
