/** Faults by plain SQL: the catalog says other things, or a row holds what nobody expects. */
import type { Fault, Scene } from "./Faults.ts"
import { pause } from "./Timeline.ts"

/** Runs a statement until it is known to have run; returns false if a server is away for too long. */
const insist = async ({ world }: Scene, ...statements: ReadonlyArray<string>): Promise<boolean> => {
  for (let turn = 0; turn < 100; turn++) {
    try {
      await world.sql.transaction("set local lock_timeout = '300ms'", ...statements)
      return true
    } catch {
      await pause(100)
    }
  }
  return false
}

/** A table that no writer touches. */
const idle = "dcim_rackrole"

/** Tables of writers, and what a gap of them is called. */
const written = ["extras_tag", "dcim_region"] as const

export const catalogFaults: ReadonlyArray<Fault> = [
  {
    name: "the publication is changed",
    weight: 2,
    act: async (scene, random, note) => {
      const table = random.pick([...written, idle])
      const statement = random.pick([
        `alter publication rackwire drop table ${table}`,
        `alter publication rackwire set (publish = '${random.pick(["insert", "update, delete", "delete, truncate"])}')`,
        "drop publication rackwire"
      ])
      // Another one may have dropped it, and nobody may have repaired that.
      if (await insist(scene, statement)) scene.world.meddled.add(scene.world.seed)
      note(statement)
    }
  },
  {
    name: "a replica identity is lost",
    weight: 1,
    act: async (scene, random, note) => {
      const id = random.between(1, 1e9)
      const done = await insist(
        scene,
        `alter table ${idle} replica identity default`,
        `insert into ${idle} (id, name, slug) values (${id}, 'r${id}', 'r${id}')`,
        `delete from ${idle} where id = ${id}`
      )
      note(`${idle}: ${done ? "done" : "could not be done"}`)
    }
  },
  {
    name: "odd values by SQL",
    weight: 2,
    act: async (scene, random, note) => {
      const { world } = scene
      const id = `${9_007_199_254_740_992n + BigInt(random.between(1, 1e9))}`
      const messages = ["rackwire:beat:v2", "rackwire:ctx:v1", "rackwire:row:v1"].map(
        (prefix) =>
          `select pg_logical_emit_message(true, '${prefix}', '${random.pick(["", "0", "{}", "-1e12"])}')::text`
      )
      const long = "select pg_logical_emit_message(true, 'x', repeat('x', 70000000))::text"
      await insist(scene, ...messages, ...(random.chance(0.2) ? [long] : []))
      const table = `alter table ${idle} drop constraint if exists ${idle}_id_check`
      if (await insist(scene, table, `insert into ${idle} (id, name, slug) values (${id}, '${id}', '${id}')`)) {
        world.aside.set(id, world.seed)
      }
      await insist(scene, `delete from ${idle} where id = ${id}`)
      note(`id ${id}`)
    }
  }
]
