/**
 * Writes random requests, scripts and jobs to a NetBox, some of them rolled back, on several connections whose
 * transactions cross. Where a connection is lost, the objects of its request are left alone from then on.
 */
import type { NetBoxWriter, OpenRequest } from "../../source/NetBoxWriter.ts"
import type { Random } from "../Random.ts"
import { pause } from "../Timeline.ts"
import { type ObjectTree, changeTree, tagNames } from "./ObjectTree.ts"

/** Most trees that are changed in turn. */
const treesMax = 12

/** Connections of requests that stay open; another one is that of whole requests. */
const openConnections = [1, 2, 3]

const stepsMax = 5

/** Objects of a script, and of one whose rows the reader does not keep. */
const scriptObjects = [100, 400] as const
const largeObjects = 2500

const pauseMillisMax = 60

interface OpenTree {
  readonly open: OpenRequest
  readonly before: ObjectTree
  readonly tree: ObjectTree | undefined
}

interface Action {
  readonly weight: number
  readonly act: () => Promise<unknown>
}

export class NetBoxLoad {
  /** Errors by their text, with how often there was one. */
  readonly errors = new Map<string, number>()
  private readonly writer: NetBoxWriter
  private readonly random: Random
  private trees: Array<ObjectTree> = []
  private readonly opened = new Map<number, OpenTree>()
  private user = "alice"
  /** Work that is done while nothing is written, and the action that is under way. */
  private pausing: Promise<unknown> = Promise.resolve()
  private acting: Promise<unknown> = Promise.resolve()

  constructor(writer: NetBoxWriter, random: Random) {
    this.writer = writer
    this.random = random
  }

  /** Writes the objects that all requests refer to. */
  async prepare(): Promise<void> {
    await this.writer.request(async (request) => {
      for (const tag of tagNames) await request.create("extras.tag", { name: tag })
    })
  }

  /** Writes until it is over; transactions that are open then end. */
  async run(isOver: () => boolean): Promise<void> {
    const actions: ReadonlyArray<Action> = [
      { weight: 8, act: () => this.whole() },
      { weight: 1, act: () => this.failing() },
      { weight: 4, act: () => this.open() },
      { weight: 4, act: () => this.close() },
      { weight: 2, act: () => this.job() },
      { weight: 0.7, act: () => this.script(this.random.between(...scriptObjects)) },
      { weight: 0.1, act: () => this.script(largeObjects) },
      { weight: 0.05, act: () => this.deleteUser() }
    ]
    while (!isOver()) {
      await this.untilResumed()
      this.acting = this.random.weighted(actions).act().catch(this.note)
      await this.acting
      await pause(this.random.between(0, pauseMillisMax))
    }
    while (this.opened.size > 0) await this.close().catch(this.note)
  }

  /** Runs work while nothing is written; transactions may be open. */
  whilePaused<A>(work: () => Promise<A>): Promise<A> {
    const done = Promise.all([this.pausing, this.acting]).then(work)
    this.pausing = done.catch(() => undefined)
    return done
  }

  /** The lowest id of a row that an open transaction has written. */
  get lowestOpenId(): number {
    return Math.min(...[...this.opened.values()].flatMap(({ open }) => open.request.rows.map(({ id }) => id)))
  }

  /** The objects that it may change; call it while nothing is written. */
  copy(): ReadonlyArray<ObjectTree> {
    return [...this.trees]
  }

  /** Continues with the objects of a copy; transactions that were open have ended with the connections. */
  restore(trees: ReadonlyArray<ObjectTree>): void {
    this.trees = [...trees]
    this.opened.clear()
  }

  private async untilResumed(): Promise<void> {
    let awaited: unknown
    while (awaited !== this.pausing) {
      awaited = this.pausing
      await awaited
    }
  }

  private readonly note = (error: Error): void => {
    this.errors.set(error.message, (this.errors.get(error.message) ?? 0) + 1)
  }

  /** Takes a tree, which nothing else changes until it is put back. */
  private take(): ObjectTree {
    if (this.trees.length < treesMax && this.random.chance(0.4)) return { devices: [], vlans: [], interfaces: [] }
    const tree = this.trees.length === 0 ? undefined : this.random.pick(this.trees)
    this.trees = this.trees.filter((each) => each !== tree)
    return tree ?? { devices: [], vlans: [], interfaces: [] }
  }

  private put(tree: ObjectTree | undefined): void {
    if (tree?.site !== undefined) this.trees.push(tree)
  }

  private get options() {
    return { user: this.random.chance(0.2) ? this.user : "admin" }
  }

  private async whole(): Promise<void> {
    const tree = this.take()
    let after: ObjectTree | undefined
    await this.writer.request(async (request) => {
      after = await changeTree(request, tree, this.random, stepsMax)
    }, this.options)
    this.put(after)
  }

  private async failing(): Promise<void> {
    const tree = this.take()
    const refusal = "refused"
    const work = this.writer.request(async (request) => {
      await changeTree(request, tree, this.random, stepsMax)
      throw new Error(refusal)
    }, this.options)
    await work.catch((error: Error) => {
      if (error.message !== refusal) throw error
    })
    this.put(tree)
  }

  private async open(): Promise<void> {
    const connection = openConnections.find((each) => !this.opened.has(each))
    if (connection === undefined) return
    const open = await this.writer.begin({ ...this.options, connection })
    const before = this.take()
    try {
      const tree = await changeTree(open.request, before, this.random, stepsMax)
      this.opened.set(connection, { open, before, tree })
    } catch (error) {
      await open.rollback()
      throw error
    }
  }

  /** Ends one of the open transactions, mostly by a commit. */
  private async close(): Promise<void> {
    if (this.opened.size === 0) return
    const [connection, { open, before, tree }] = this.random.pick([...this.opened])
    this.opened.delete(connection)
    if (this.random.chance(0.15)) {
      await open.rollback()
      return this.put(before)
    }
    await open.commit()
    this.put(tree)
  }

  private async job(): Promise<void> {
    const tree = this.take()
    let after: ObjectTree | undefined
    await this.writer.job(async (request) => {
      after = await changeTree(request, tree, this.random, stepsMax)
    }, this.options)
    this.put(after)
  }

  private script(objects: number): Promise<unknown> {
    const all = Array.from({ length: objects }, () => ({ name: `${this.random.between(0, 1e15)}` }))
    return this.writer.request((request) => request.createMany("netbox_dns.zone", all))
  }

  private async deleteUser(): Promise<void> {
    const { user } = this
    // An open request of the user would fail.
    if (user === "admin" || this.opened.size > 0) return
    this.user = "admin"
    await this.writer.deleteUser(user)
  }
}
