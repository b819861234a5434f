/**
 * The calm time after all faults. The receiver refuses one webhook for good, one is disabled and one is deleted. Then
 * events occur, and none of the three may be sent anything.
 */
import { region, stamp, webhook } from "./Committed.ts"
import type { DeliverScene } from "./DeliverFaults.ts"
import { Draft } from "./Draft.ts"
import { Ledger } from "./Ledger.ts"
import { pause } from "./Timeline.ts"
import { always } from "./Webhooks.ts"

/** Takes only what is made in this time. */
export const ofCalmTime = {
  ...always,
  content_types: [region.id],
  timeout: 2,
  conditions: { attr: "slug", op: "regex", value: "calm-" }
}

/** Time for a webhook's change to reach those that deliver, and for a delivery to come, milliseconds. */
const heardMillis = 2000
const cameMillis = 30_000
const calmRegions = 20

/** The service leaves the description alone when it disables a webhook; what it did must be known by its label. */
const labelled = (label: string) => [
  `create function fault_label() returns trigger language plpgsql as $$
   begin new.description := '${stamp(2, label)}'; return new; end $$`,
  `create trigger fault_label before update on extras_webhook for each row
   when (new.disabled_note is distinct from old.disabled_note) execute function fault_label()`
]

/** Returns a check that lists requests that should not have been sent. */
export const calmTime = async (run: DeliverScene): Promise<() => ReadonlyArray<string>> => {
  const { world, committed, receiver, disturbances } = run
  await pause(Math.max(...disturbances.map(({ to }) => to - receiver.millis), 0))
  const ledger = new Ledger(world.databaseUrl)
  const change = async (name: string, to: 2 | undefined) => {
    const label = `calm.${name}`
    const how = to === undefined ? "delete from extras_webhook" : "update extras_webhook set enabled = false,"
    const described = to === undefined ? "" : ` description = '${stamp(to, label)}'`
    const fate = await ledger.attempt(label, [`${how}${described} where name = '${name}'`])
    committed.add({ label, changes: [{ kind: webhook, key: name, from: 1, to }], messages: 2, fate })
  }
  const regions = async (label: string, count: number) => {
    const draft = new Draft(label, new Map(), world.random)
    for (let n = 0; n < count; n++) draft.create(region, `${label.replace(".", "-")}-${n}`)
    const fate = await ledger.attempt(draft.label, draft.statements)
    committed.add({ label, changes: draft.changes, messages: draft.messages, fate })
  }
  const gone = "calm.gone"
  for (const statement of labelled(gone)) await world.sql.query(statement)
  await regions("calm.first", 1)
  const changes = [{ kind: webhook, key: receiver.leaving, from: 1, to: 2 }]
  committed.add({ label: gone, changes, messages: 1, fate: "committed" })
  for (let waited = 0; waited < cameMillis && !(await isDisabled(run)); waited += 100) await pause(100)
  await change("narrow", 2)
  await change("deleted", undefined)
  await pause(heardMillis)
  world.timeline.note("calm")
  const from = receiver.requests.length
  await regions("calm.second", calmRegions)
  await ledger.close()
  const unwanted = new Set(["narrow", "deleted", receiver.leaving])
  return () =>
    receiver.requests
      .slice(from)
      .filter(({ webhook }) => unwanted.has(webhook))
      .map(({ webhook, delivery }) => `${delivery} was sent, though ${webhook} is off`)
}

const isDisabled = async ({ world, receiver }: DeliverScene): Promise<boolean> => {
  const rows = await world.sql.query("select 1 from extras_webhook where name = $1 and not enabled", [receiver.leaving])
  return rows.length > 0
}
