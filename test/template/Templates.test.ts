/** Templates rendered by worker threads, as the service renders them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { Pool } from "../../src/template/pool/Pool.ts"
import type { Source } from "../../src/template/Part.ts"
import type { Outcome } from "../../src/template/pool/PoolWorker.ts"
import { Templates } from "../../src/template/Template.ts"
import { attacks, context } from "./attacks/attacks.ts"
import { fewOf, sampleOf, thorough } from "../support/Seed.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-templates-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** A plugin that does what plugins must not. */
const hostile = write(
  "hostile.ts",
  `export default { name: "hostile", examples: [], filters: {
     spin: () => { for (;;); },
     hoard: () => { let all = ""; const kept = []; for (let at = 0; ; at++) { all += at; kept.push(all.slice(1) + at) } },
     late: () => { setTimeout(() => { throw new Error("late") }, 0); return 1 }
   } }`
)

const start = (plugins: ReadonlyArray<string> = [], { workers = 2, developer = false } = {}) => {
  const runtime = ManagedRuntime.make(Templates.layerWith({ plugins, workers, developer }))
  onTestFinished(() => runtime.dispose())
  const use = <A>(f: (templates: Templates["Service"]) => Effect.Effect<A>): Promise<A> =>
    runtime.runPromise(Effect.flatMap(Templates, f))
  /** The output, or the reason and the limit of the fault. */
  const render = (source: Source, text = "{}", engine?: string): Promise<string> =>
    use((templates) =>
      templates.render([source], text, engine).pipe(
        Effect.map(([output]) => output!),
        Effect.catch(({ reason, limit }) => Effect.succeed(`fault: ${reason} ${limit ?? ""}`.trim()))
      )
    )
  return { use, render }
}

describe("templates", () => {
  it("are rendered in batches, and each caller gets its own result", async () => {
    const { render } = start()
    const asked = Array.from({ length: 1000 }, (_, at) => at)
    const outputs = await Promise.all(
      asked.map((at) => render(at % 7 === 3 ? "{{ n / 0 }}" : `{{ n }}${at % 2}`, JSON.stringify({ n: at })))
    )
    expect(outputs).toEqual(asked.map((at) => (at % 7 === 3 ? "fault: ZeroDivision" : `${at}${at % 2}`)))
  })

  it("that give a longer address or longer headers than a request may have fail in their worker", async () => {
    const { render } = start()
    const lengths = async (source: Source, ...sizes: ReadonlyArray<number>) => {
      const texts = sizes.map((size) => JSON.stringify({ text: "x".repeat(size) }))
      const engines = ["jinja", "nunjucks", "liquid"]
      const outputs = engines.flatMap((engine) => texts.map((text) => render(source, text, engine)))
      return new Set(
        (await Promise.all(outputs)).map((output) => (output.startsWith("fault") ? output : output.length))
      )
    }
    const source = "{{ text }}"
    expect(await lengths({ address: source }, 8192, 8193)).toEqual(new Set([8192, "fault: Limit output"]))
    expect(await lengths({ headers: source }, 65_536, 65_537)).toEqual(new Set([65_536, "fault: Limit output"]))
    expect(await lengths(source, 65_537)).toEqual(new Set([65_537]))
  })

  it("are checked in a worker where they are long, with the same faults", async () => {
    const { use } = start()
    const check = (source: string, engine: string) =>
      use((templates) =>
        Effect.map(
          templates.check(source, engine),
          (error) => error && `${error.reason} ${error.line}: ${error.message}`
        )
      )
    const long = "{{ a }}\n".repeat(3000)
    for (const engine of ["jinja", "nunjucks"]) {
      expect(await check(long, engine)).toBeUndefined()
      const short = (await check("{{ a }}\n{{ (", engine))!
      expect(await check(`${long}{{ (`, engine)).toBe(short.replace(" 2:", " 3001:"))
    }
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await check(long, "jinja")
    isOver = true
    expect(turns).toBeGreaterThan(2)
  })

  it("are rendered by the requested engine", async () => {
    const { render } = start()
    expect(await render("{{ xs | join: '-' }}", '{"xs":[1,2]}', "liquid")).toBe("1-2")
    expect(await render("{{ xs|join('-') }}", '{"xs":[1,2]}')).toBe("1-2")
    expect(await render("x", "{}", "nosuch")).toBe("fault: Syntax")
  })

  const ending: ReadonlyArray<readonly [filter: string, fault: RegExp]> = [
    ["spin", /^fault: Limit wall$/],
    // Whichever comes first.
    ["hoard", /^fault: Limit (memory|wall)$/]
  ]
  it.each(fewOf(ending, 1, "ending"))(
    "that end their worker fail alone, and the others are rendered all the same: %s",
    async (filter, fault) => {
      const { render } = start([hostile])
      const outputs = await Promise.all([
        ...Array.from({ length: 50 }, () => render("{{ 1 }}")),
        render(`{{ 1|${filter} }}`),
        ...Array.from({ length: 50 }, () => render("{{ 2 }}"))
      ])
      expect(outputs).toEqual([...Array(50).fill("1"), expect.stringMatching(fault), ...Array(50).fill("2")])
    }
  )

  it("that need room begin when there is some, and others are rendered meanwhile", async () => {
    const pool = new Pool({ size: 1, limits, modules: [] })
    let free = 0
    const wakes: Array<() => void> = []
    const room = { take: () => free > 0 && free-- > 0, whenRoom: (wake: () => void) => void wakes.push(wake) }
    const ended: Array<unknown> = []
    const submit = (source: string, owner: string, needed?: typeof room) =>
      pool.submit(
        { sources: [source], context: "{}", engine: "jinja" },
        (outcome) => ended.push(outcome),
        owner,
        needed
      )
    submit("{{ 1 }}", "one", room)
    const cancel = submit("{{ 2 }}", "one", room)
    submit("{{ 3 }}", "one", room)
    submit("{{ 4 }}", "one", room)
    submit("{{ 5 }}", "other")
    // One of an owner is enough to wait for room.
    await expect.poll(() => [wakes.length, ended]).toEqual([1, [["5"]]])
    free = 1
    wakes.pop()!()
    await expect.poll(() => [wakes.length, ended]).toEqual([1, [["5"], ["1"]]])
    // The next one takes the place of the one that is given up.
    free = 1
    cancel()
    await expect.poll(() => ended).toEqual([["5"], ["1"], ["3"]])
    await pool.close()
    expect(ended.slice(3)).toMatchObject([{ reason: "Internal" }])
  })

  it("are rendered again after a plugin threw outside of a call", async () => {
    const { render } = start([hostile], { workers: 1 })
    expect(await render("{{ 1|late }}")).toBe("1")
    expect(await render("{{ 2 }}")).toBe("2")
  })

  it("that attack do not block or bloat this process, and do not cost it workers", async () => {
    const pool = new Pool({ size: 2, limits, modules: [] })
    onTestFinished(() => pool.close())
    // Each of an owner of its own: one alone would have to wait longer and longer.
    const ask = (source: string) =>
      new Promise<Outcome>((done) => pool.submit({ sources: [source], context, engine: "jinja" }, done, source))
    await ask("{{ 1 }}")
    const before = process.memoryUsage().rss
    // Turns of the event loop in which outcomes arrived. In a blocked process all would arrive in one.
    let turns = 0
    let turn: NodeJS.Immediate | undefined
    const arrived = () => {
      turn ??= setImmediate(() => {
        turns += 1
        turn = undefined
      })
    }
    const every = Object.values(attacks).flat()
    const all = sampleOf(every, Math.ceil(every.length / 3), "attacks")
    const asked = all.map(([, template]) => ask(template))
    for (const each of asked) void each.then(arrived)
    const outcomes = await Promise.all(asked)
    expect(turns).toBeGreaterThan(all.length / 10)
    // One more where requests ran out of time.
    expect(pool.threads).toBeLessThanOrEqual(3)
    const wrong = all.filter((_, at) => "reason" in outcomes[at]! && outcomes[at].reason === "Internal")
    expect(wrong).toEqual([])
    // Three workers at their own bound, and this thread's share.
    expect(process.memoryUsage().rss - before).toBeLessThan(512 << 20)
    await pool.close()
    expect(pool.threads).toBe(0)
  })

  it("start the workers: before the first there is none", async () => {
    const pool = new Pool({ size: 2, limits, modules: [] })
    onTestFinished(() => pool.close())
    pool.renew([], "1")
    expect(pool.threads).toBe(0)
    await new Promise((done) => pool.submit({ sources: ["{{ 1 }}"], context: "{}", engine: "jinja" }, done))
    expect(pool.threads).toBe(2)
  })

  it("are not rendered once their callers gave up", async () => {
    const pool = new Pool({ size: 1, limits, modules: [] })
    onTestFinished(() => pool.close())
    const seen: Array<Outcome> = []
    const request = { sources: ["{{ 1 }}"], context: "{}", engine: "jinja" }
    const letGo = pool.submit(request, (outcome) => seen.push(outcome))
    letGo()
    await new Promise((done) => pool.submit(request, done))
    expect(seen).toEqual([])
  })
})

describe("in development", () => {
  const text = (filters: string, examples = "[]") =>
    `export default { name: "fresh", examples: ${examples}, filters: { ${filters} } }`

  thorough("a plugin is loaded again when its file changes, and a refused one changes nothing", async () => {
    const path = write("fresh.ts", text("one: () => 1"))
    const { use, render } = start([path], { developer: true })
    expect(await render("{{ 0|one }}")).toBe("1")
    write("fresh.ts", text("one: () => 2, two: () => 2"))
    await expect.poll(() => render("{{ 0|one }}")).toBe("2")
    const filters = await use(({ plugins }) =>
      Effect.map(plugins, (all) => all.find(({ name }) => name === "fresh")!.filters)
    )
    expect(filters).toEqual(["one", "two"])

    write("fresh.ts", text("one: () => 3", '[{ template: "{{ 0|one }}", expect: "4" }]'))
    write("fresh.ts", text("one: () => 5, broken"))
    write("fresh.ts", text("one: () => 6", '[{ template: "{{ 0|one }}", expect: "7" }]'))
    expect(await render("{{ 0|one }}")).toBe("2")
    write("fresh.ts", text("one: () => 8"))
    await expect.poll(() => render("{{ 0|one }}")).toBe("8")
  })

  it("templates that are being rendered during a change are not lost", async () => {
    const pool = new Pool({ size: 2, limits, modules: [] })
    onTestFinished(() => pool.close())
    const ask = (source: string) =>
      new Promise<Outcome>((done) => pool.submit({ sources: [source], context: "{}", engine: "jinja" }, done))
    const outcomes = [...Array(500).keys()].map((at) => ask(`{{ ${at} }}`))
    await outcomes[0]
    pool.renew([], "1")
    const later = [...Array(500).keys()].map((at) => ask(`{{ ${at} }}`))
    expect(await Promise.all([...outcomes, ...later])).toEqual(
      [...Array(500).keys(), ...Array(500).keys()].map((at) => [`${at}`])
    )
    await expect.poll(() => pool.threads).toBe(2)
  })
})
