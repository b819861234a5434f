/**
 * Receivers that mean ill, all at once. The service runs as a process, with all roles and with one role each, because its
 * memory and its descriptors are measured.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { Bystander, expectSmall } from "./Bystander.ts"
import { type HostileReceivers, attackFrom, startHostileReceivers } from "./Receivers.ts"

/** Objects that are made at a time, and how often. */
const [atOnce, times] = [20, 10]

/** How often each bystander has to be served in between: some seconds of the attack in all. */
const servings = 10

/** Makes the objects; every receiver gets each of them. Continues when the bystanders were served meanwhile. */
const attack = async (api: Api, served: (times: number) => Promise<void>): Promise<void> => {
  for (let time = 0; time < times; time++) {
    const sites = Array.from({ length: atOnce }, (_, at) => named(`Attack ${time} ${at}`))
    await api.makeAll("dcim/sites", sites)
    await served(servings)
  }
}

describe.each([
  ["in one process", undefined],
  ["with a process for each role", ["capture", "deliver"] as const]
])("the service %s", (_, others) => {
  let api: Api<ServiceProcess>
  let beside: ReadonlyArray<ServiceProcess>
  let receivers: HostileReceivers
  let bystander: Bystander

  beforeAll(async () => {
    api = await startApiProcess({}, others && { roles: ["api"] })
    const environment = environmentOf(api.database)
    beside = await Promise.all((others ?? []).map((role) => startProcess(environment, { roles: ["api", role] })))
    receivers = await startHostileReceivers()
    bystander = await Bystander.arrive({ ...api, others: beside })
  })
  afterAll(async () => {
    await bystander.leave()
    await Promise.all(beside.map(({ stop }) => stop()))
    await api.stop()
    await receivers.close()
  })

  it("serves others while every receiver means ill, and stays small", async () => {
    await attackFrom(receivers, api.call, ["dcim.site"])
    const observed = await bystander.during((served) => attack(api, served))
    const untaken = () => [...receivers.taken()].filter(([, connections]) => connections === 0)
    await expect.poll(untaken).toEqual([])
    expectSmall(observed)
  })
})
