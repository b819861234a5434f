/** The webhooks of a run: some that take everything, some with conditions, one that is changed all the time. */
import { request } from "../support/Client.ts"
import { type Committed, type TypeId, nameIn, stamp, webhook } from "./Committed.ts"
import { Ledger } from "./Ledger.ts"
import type { Random } from "./Random.ts"
import { token } from "./Template.ts"
import { pause } from "./Timeline.ts"
import type { World } from "./World.ts"

const objects: ReadonlyArray<TypeId> = ["dcim.site", "dcim.region", "extras.tag"]
export const always = { content_types: objects, type_create: true, type_update: true, type_delete: true }

const evenVersion = { attr: "description", op: "regex", value: "v\\d*[02468] " }
const ofWriter = (name: string) => ({ attr: "slug", op: "regex", value: `${name}-` })

const changing = "changing"

/** Rows for the API by their names, without addresses. */
export type Rows = Readonly<Record<string, object>>

export const rows: Rows = {
  everything: always,
  // Not tags: the largest transactions make those.
  places: { ...always, content_types: ["dcim.site", "dcim.region"] },
  even: { ...always, content_types: ["dcim.site", "dcim.region"], conditions: evenVersion },
  deletions: { content_types: objects, type_delete: true },
  named: { ...always, conditions: { or: [ofWriter("w1"), { and: [ofWriter("api"), evenVersion] }] } },
  [changing]: always
}

/** Longest pause between two changes of the one that changes, milliseconds. */
const changeMillis = 800

/** Makes them; answers the id of each name. */
export const makeWebhooks = async (
  world: World,
  committed: Committed,
  receiverUrl: string,
  rows: Rows
): Promise<ReadonlyMap<string, number>> => {
  const ids = new Map<string, number>()
  for (const [name, row] of Object.entries(rows)) {
    const label = `webhook.${name}`
    const reply = await request<{ readonly id: number }>(world.services[0]!.url, token, "POST", webhook.path, {
      retry_schedule: { kind: "fixed", delay: 1, attempts: 100 },
      payload_url: `${receiverUrl}/${name}`,
      ...row,
      name,
      description: stamp(1, label)
    })
    if (reply.status !== 201) throw new Error(`webhook ${name}: ${reply.text}`)
    const changes = [{ kind: webhook, key: name, from: undefined, to: 1 }]
    committed.add({ label, changes, messages: 2, fate: "committed" })
    ids.set(name, reply.json.id)
  }
  return ids
}

/** Changes the one that changes, again and again; in the end it is enabled. */
export const changeWebhook = async (world: World, random: Random, committed: Committed, isOver: () => boolean) => {
  const ledger = new Ledger(world.databaseUrl)
  const conditions = ["null", JSON.stringify(evenVersion), JSON.stringify(ofWriter("w2"))]
  let version = committed.versionOf(webhook, changing)!
  const change = async (enabled: boolean) => {
    const label = nameIn(world.seed, `webhook.${changing}.${version}.${random.between(0, 1e9)}`)
    const types = objects.filter(() => random.chance(0.7))
    const fate = await ledger.attempt(label, [
      `update extras_webhook set description = '${stamp(version + 1, label)}', enabled = ${enabled},
         conditions = '${random.pick(conditions)}', content_types = '{${types.join(",")}}' where name = '${changing}'`
    ])
    const changes = [{ kind: webhook, key: changing, from: version, to: version + 1 }]
    committed.add({ label, changes, messages: 1, fate })
    if (fate === "committed") version += 1
    return fate === "committed"
  }
  while (!isOver()) {
    await pause(random.between(0, changeMillis))
    await change(random.chance(0.75))
  }
  while (!(await change(true)));
  await ledger.close()
}
