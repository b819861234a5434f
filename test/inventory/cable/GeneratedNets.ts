/**
 * Laws of paths, on generated networks that change at random: rows say what a trace says, ports say what cables say, and
 * a path is the same from both ends.
 */
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { seedOf } from "../../support/Seed.ts"
import { Net, type Trace, endpoints, kindOf, tableOf } from "./Net.ts"

interface Extent {
  readonly panels: number
  readonly cables: number
  readonly changes: number
}

interface Free {
  readonly name: string
  readonly kind: string
}

const joins = (a: string, b: string): boolean => {
  const isPanel = (kind: string) => /front|rear/.test(kind)
  const isCircuit = (kind: string) => kind.startsWith("circuits")
  if (isCircuit(a) || isCircuit(b))
    return [a, b].every((kind) => isCircuit(kind) || /front|rear|\.interface/.test(kind))
  return (
    isPanel(a) ||
    isPanel(b) ||
    (a === b && a === "dcim.interface") ||
    (a !== b && a !== "dcim.interface" && b !== "dcim.interface")
  )
}

/** Numbers of the run's seed. */
const drawing = (salt: number) => {
  const numbers = fc.sample(fc.nat(2 ** 30), { numRuns: 200_000, seed: seedOf(salt) })
  let at = 0
  return (below: number): number => numbers[at++ % numbers.length]! % below
}

export const expectLaws = ({ panels, cables, changes }: Extent): void => {
  let net: Net
  const draw = drawing(7)
  const free: Array<Free> = []
  const used = new Map<number, ReadonlyArray<string>>()

  const take = (fits: (kind: string) => boolean): Free | undefined => {
    for (let tries = 0; tries < 20 && free.length > 0; tries++) {
      const at = draw(free.length)
      const found = free[at]!
      if (!fits(found.kind)) continue
      free[at] = free.at(-1)!
      free.pop()
      return found
    }
    return undefined
  }

  const connect = async (): Promise<void> => {
    const first = take(() => true)
    if (first === undefined) return
    const second = take((kind) => joins(first.kind, kind))
    if (second === undefined) {
      free.push(first)
      return
    }
    const more = (like: Free) => (draw(8) === 0 ? [like, take((kind) => kind === like.kind) ?? []].flat() : [like])
    const [a, b] = [more(first), more(second)]
    const named = [a, b].map((side) => side.map(({ name }) => name).join("+")).join("-")
    const [id] = await net.cables(named, draw(12) === 0 ? "planned" : "connected")
    used.set(
      id!,
      [...a, ...b].map(({ name }) => name)
    )
  }

  const disconnect = async (): Promise<void> => {
    const ids = [...used.keys()]
    const id = ids[draw(Math.max(ids.length, 1))]
    if (id === undefined) return
    const names = used.get(id)!
    used.delete(id)
    await net.database.sql.query(`delete from dcim_cable where id = ${id}`)
    for (const name of names) free.push({ name, kind: kindOf(name) })
  }

  const switchOne = async (): Promise<void> => {
    const ids = [...used.keys()]
    const id = ids[draw(Math.max(ids.length, 1))]
    if (id === undefined) return
    await net.database.sql.query(
      `update dcim_cable set status = case status when 'connected' then 'planned' else 'connected' end where id = ${id}`
    )
  }

  /** Moves an end of a circuit to another circuit that has none at this side. */
  const rearrange = async (): Promise<void> => {
    await net.database.sql.query(
      `update circuits_circuittermination t set circuit_id = c.id from circuits_circuit c
        where t.id = (select id from circuits_circuittermination order by id offset ${draw(8)} limit 1) and c.id = (
          select k.id from circuits_circuit k where not exists (
            select from circuits_circuittermination o where o.circuit_id = k.id and o.term_side = t.term_side)
           order by k.id offset ${draw(3)} limit 1)`
    )
  }

  beforeAll(async () => {
    net = await Net.make()
    const words: Array<string> = []
    for (let n = 1; n <= panels; n++) {
      const positions = [1, 1, 1, 2, 4][draw(5)]!
      words.push(`r${n}:${positions}`)
      for (let at = 1; at <= positions; at++) if (draw(12) > 0) words.push(`f${n}x${at}@r${n}:${at}`)
      words.push(`i${n}`)
      if (draw(3) === 0) words.push(`c${n}`, `s${n}`)
      if (draw(3) === 0) words.push(`a${n}`, draw(4) === 0 ? `n${n}` : `z${n}`)
    }
    await net.ports(words.join(" "))
    await net.database.sql.query(
      "insert into circuits_circuit (id, cid, provider_id, type_id) select 100000 + n, 'spare ' || n, 1, 1 from generate_series(1, 3) n"
    )
    const cabled = words.filter((word) => !word.startsWith("n"))
    free.push(...cabled.map((word) => /^\w+/.exec(word)![0]).map((name) => ({ name, kind: kindOf(name) })))
    for (let made = 0; made < cables; made++) await connect()
  }, 600_000)
  afterAll(() => net.close())

  const faults = async (): Promise<ReadonlyArray<string>> => [...(await net.loose()), ...(await net.stale())]

  it("apply from the beginning", async () => {
    expect(used.size).toBeGreaterThan(cables * 0.9)
    expect(await faults()).toEqual([])
  })

  it("apply after every change", async () => {
    for (let round = 0; round < changes / 10; round++) {
      for (let at = 0; at < 10; at++) await [connect, disconnect, switchOne, connect, rearrange][draw(5)]!()
      expect(await faults()).toEqual([])
    }
  }, 600_000)

  it("say that a path is the same from both ends", async () => {
    // Some ends of a side may lead nowhere: they are on the path from the other end only.
    const outline = (steps: NonNullable<Trace["steps"]>) => ({
      from: steps[0]!.slice(0, 2),
      to: steps.at(-1)!.slice(3),
      cables: steps.map(([, , cable]) => cable)
    })
    const reversed = ({ from, to, cables }: ReturnType<typeof outline>) => ({
      from: to,
      to: from,
      cables: cables.toReversed()
    })
    let compared = 0
    for (const kind of endpoints) {
      const rows = await net.database.sql.query<{ readonly there: Trace; readonly back: Trace }>(
        `select to_jsonb(t) as there, to_jsonb(b) as back from ${tableOf(kind)} p
           cross join lateral rackwire_trace($1, rackwire_side($1, p.id)) t
           cross join lateral rackwire_trace(t.end_kind, t.end_ids) b where t.is_complete and b.is_complete`,
        [kind]
      )
      for (const { there, back } of rows) expect(outline(back.steps!)).toEqual(reversed(outline(there.steps!)))
      compared += rows.filter(({ there }) => there.steps!.length > 1).length
    }
    expect(compared).toBeGreaterThan(0)
  }, 600_000)

  it("apply after cables that are made and deleted at the same time", async () => {
    const work = async (): Promise<void> => {
      for (let at = 0; at < Math.ceil(changes / 8); at++) {
        // A deadlock is undone as a whole, and the API tries again.
        await [connect, disconnect][draw(2)]!().catch((error: Error) => {
          if (!/deadlock/.test(error.message)) throw error
        })
      }
    }
    await Promise.all([work(), work(), work(), work()])
    expect(await faults()).toEqual([])
  }, 600_000)
}
