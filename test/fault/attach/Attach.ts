/**
 * A world of the suite `attach`: a service of two processes that may both read, and a NetBox that is written to while
 * faults are injected. In the end every change that the NetBox committed is one event, and is delivered.
 */
import { releases } from "../../source/NetBoxModels.ts"
import { Differences } from "../Differences.ts"
import { DeliveryOracle } from "../DeliveryOracle.ts"
import { carryOut, planOf } from "../Plan.ts"
import { Random } from "../Random.ts"
import { compareServices, settle } from "../Settle.ts"
import type { RunOptions, Suite, Verdict } from "../Suite.ts"
import { World } from "../World.ts"
import { attachFaults } from "./AttachFaults.ts"
import { AttachedWorld } from "./AttachedWorld.ts"
import { compareSource } from "./SourceOracle.ts"

const roles = "api,capture,deliver"

export const attach: Suite = async (first, options) => {
  const release = new Random(`attach ${first}`).pick(releases)
  const receiver = await DeliveryOracle.start(first)
  const world = await World.start({
    seed: first,
    template: options.template,
    processes: [roles, roles],
    only: options.only
  })
  let attached: AttachedWorld | undefined
  const end = async (forget: boolean) => {
    await attached?.stop()
    await world.stop(forget)
    await receiver.close()
  }
  try {
    attached = await AttachedWorld.attach(world, receiver, release)
    const own = attached
    await own.load.prepare()
    world.timeline.note(`a NetBox ${release} is attached`)
    return { run: (seed) => runSeed(own, seed, options), end }
  } catch (error) {
    await end(false)
    throw error
  }
}

const runSeed = async (attached: AttachedWorld, seed: number, { seconds, only }: RunOptions): Promise<Verdict> => {
  const { world, load, server } = attached
  const { timeline } = world
  await world.begin(seed)
  let isOver = false
  const writing = load.run(() => isOver)
  await carryOut(planOf(seed, attachFaults, { seconds, only, once: undefined }), timeline, attached)
  world.heal()
  server.network.restore()
  timeline.note("the last fault is over")
  isOver = true
  await writing
  timeline.note(`the writer has stopped; its errors: ${errorsOf(load.errors) || "none"}`)
  const verdict = await settle(world, () => judge(attached))
  attached.endFolding()
  return verdict
}

const errorsOf = (errors: ReadonlyMap<string, number>): string =>
  [...errors].map(([error, count]) => `${count} x ${error}`).join("; ")

const judge = async (attached: AttachedWorld): Promise<Verdict> => {
  const { world, committed, receiver, webhook } = attached
  const differences = new Differences()
  const events = await attached.events()
  const excuses = {
    mayBeFolded: (transaction: number) => attached.mayBeFolded(transaction),
    isLost: (transaction: number) => attached.isLost(transaction)
  }
  compareSource(committed, events, excuses, differences)
  await receiver.compare(world.sql, new Map([[webhook, events]]), differences)
  await compareGaps(attached, differences)
  await compareServices(world, differences)
  return {
    differences,
    timeline: world.timeline,
    directory: world.directory,
    settleMillis: 0,
    summary: `${committed.length} transactions committed, ${events.length} events, ${receiver.repeats} deliveries repeated`
  }
}

/** Retention deletes rows that were read, and no others: without a slot the service cannot distinguish them. */
const retained = /it had no slot, and its retention deleted/

const restored = /its database is an older copy than was read/

/** Nothing is lost but changes that a restored copy lacks: a gap is noted where events were made of such, and no other one. */
const compareGaps = async (attached: AttachedWorld, differences: Differences): Promise<void> => {
  const { world, isRetired } = attached
  const gaps = await world.sql.query<{ readonly reason: string }>(
    "select reason from rackwire_gap where cause = 'source'"
  )
  const sent = (await attached.sentOfLost()).filter(Boolean).length
  const noted = gaps.filter(({ reason }) => restored.test(reason)).length
  if (noted < sent) differences.add(`${sent} copies lack changes that were sent, and ${noted} gaps are noted`)
  for (const { reason } of gaps) {
    const isMade = (isRetired && retained.test(reason)) || (sent > 0 && restored.test(reason))
    if (!isMade) differences.add(`a gap of the source nobody made: ${reason}`)
  }
}
