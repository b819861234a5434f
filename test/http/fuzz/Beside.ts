/** The fuzz of users of few rights, while hostile receivers get what these users change, and a bystander watches. */
import { Bystander, excessOf } from "../../hostile/Bystander.ts"
import { attackFrom, startHostileReceivers } from "../../hostile/Receivers.ts"
import type { List } from "../../support/Client.ts"
import type { ServiceProcess } from "../../support/Process.ts"
import type { Sql } from "../../support/Sql.ts"
import { type Plan, type Verdict, fuzz } from "./Fuzz.ts"

/** The verdict of `fuzz`, in which a wait or a size above its limit is a problem as well. */
export const fuzzBeside = async (service: ServiceProcess, sql: Sql, plan: Plan): Promise<Verdict> => {
  const newToken = async () => {
    const users = await service.call<List>("GET", "/api/users/users/?username=admin")
    const made = await service.call<{ readonly key: string }>("POST", "/api/users/tokens/", {
      user: users.json.results[0]!.id
    })
    return made.json.key
  }
  const receivers = await startHostileReceivers()
  const bystander = await Bystander.arrive({
    service,
    call: service.call,
    make: service.make,
    newToken,
    database: { sql }
  })
  try {
    await attackFrom(receivers, service.call, ["dcim.site", "dcim.device", "ipam.prefix", "extras.tag"])
    let verdict: Verdict | undefined
    const observed = await bystander.during(async () => {
      verdict = await fuzz(service, sql, { ...plan, senders: ["few", "few", "few", "anonymous"] })
    })
    // Requests of all kinds fill caches that one attack leaves empty: the memory in all is what counts.
    const { told, passed } = excessOf(observed, "megabytes")
    const seen = Object.entries(told).map(([kind, value]) => `${kind} ${value.toFixed(0)}`)
    console.log(`the bystander (milliseconds, megabytes, number): ${seen.join(", ")}`)
    const problems = passed.map((kind) => `the bystander: ${kind} passed its limit`)
    return { ...verdict!, problems: [...verdict!.problems, ...problems] }
  } finally {
    await bystander.leave()
    await receivers.close()
  }
}
