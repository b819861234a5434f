/** Random changes of a site and the objects below it, as requests and jobs of a NetBox make them. */
import type { NetBoxRequest } from "../../source/NetBoxRequest.ts"
import { incompressible } from "../../source/NetBoxWriter.ts"
import type { Random } from "../Random.ts"

/** A site with its objects; one request or job changes it at a time. */
export interface ObjectTree {
  /** Undefined before it is created. */
  readonly site?: number
  readonly devices: ReadonlyArray<number>
  readonly vlans: ReadonlyArray<number>
  readonly interfaces: ReadonlyArray<{ readonly id: number; readonly device: number }>
}

export const tagNames = ["core", "edge", "lab"]

/** Length of a text that is stored apart from its row, characters. */
const longChars = 12_000

interface Step {
  readonly weight: number
  readonly isPossible: (tree: ObjectTree) => boolean
  readonly act: (request: NetBoxRequest, tree: ObjectTree, random: Random) => Promise<ObjectTree | undefined>
}

const name = (random: Random): string => `${random.between(0, 1e15)}`

const someTags = (random: Random): ReadonlyArray<string> => tagNames.filter(() => random.chance(0.4))

const always = () => true

const steps: ReadonlyArray<Step> = [
  {
    weight: 4,
    isPossible: always,
    act: async (request, tree, random) => {
      const lists = random.chance(0.4) ? { tags: someTags(random) } : {}
      await request.update("dcim.site", tree.site!, { facility: name(random) }, lists)
      return tree
    }
  },
  {
    weight: 1,
    isPossible: always,
    act: async (request, tree, random) => {
      await request.update("dcim.site", tree.site!, { comments: incompressible(longChars, name(random)) })
      return tree
    }
  },
  {
    weight: 3,
    isPossible: always,
    act: async (request, tree, random) => {
      const device = await request.create("dcim.device", { name: name(random), site: tree.site! })
      return { ...tree, devices: [...tree.devices, device] }
    }
  },
  {
    weight: 2,
    isPossible: always,
    act: async (request, tree, random) => {
      const vlan = await request.create(
        "ipam.vlan",
        { name: name(random), vid: random.between(1, 4000), site: tree.site! },
        { tags: someTags(random) }
      )
      return { ...tree, vlans: [...tree.vlans, vlan] }
    }
  },
  {
    weight: 3,
    isPossible: ({ devices }) => devices.length > 0,
    act: async (request, tree, random) => {
      const device = random.pick(tree.devices)
      const untagged = tree.vlans.length > 0 && random.chance(0.5) ? random.pick(tree.vlans) : null
      const lists = { tagged_vlans: tree.vlans.filter(() => random.chance(0.5)) }
      const id = await request.create("dcim.interface", { name: name(random), device, untagged_vlan: untagged }, lists)
      return { ...tree, interfaces: [...tree.interfaces, { id, device }] }
    }
  },
  {
    weight: 2,
    isPossible: ({ interfaces }) => interfaces.length > 0,
    act: async (request, tree, random) => {
      const lists = { tagged_vlans: tree.vlans.filter(() => random.chance(0.5)) }
      await request.update("dcim.interface", random.pick(tree.interfaces).id, { description: name(random) }, lists)
      return tree
    }
  },
  {
    weight: 1,
    isPossible: always,
    act: async (request, tree, random) => {
      const zone = await request.create("netbox_dns.zone", { name: name(random) })
      await request.delete("netbox_dns.zone", zone)
      return tree
    }
  },
  {
    weight: 1,
    isPossible: ({ vlans }) => vlans.length > 0,
    act: async (request, tree, random) => {
      const vlan = random.pick(tree.vlans)
      await request.delete("ipam.vlan", vlan)
      return { ...tree, vlans: tree.vlans.filter((each) => each !== vlan) }
    }
  },
  {
    weight: 1,
    isPossible: ({ devices }) => devices.length > 0,
    act: async (request, tree, random) => {
      const device = random.pick(tree.devices)
      await request.delete("dcim.device", device)
      return {
        ...tree,
        devices: tree.devices.filter((each) => each !== device),
        interfaces: tree.interfaces.filter((each) => each.device !== device)
      }
    }
  },
  {
    weight: 0.5,
    isPossible: always,
    act: async (request, tree) => {
      await request.delete("dcim.site", tree.site!)
      return undefined
    }
  }
]

/** Changes a tree by some steps; returns it as it is then, undefined if it is deleted. */
export const changeTree = async (
  request: NetBoxRequest,
  tree: ObjectTree,
  random: Random,
  stepsMax: number
): Promise<ObjectTree | undefined> => {
  let now: ObjectTree | undefined = tree
  if (tree.site === undefined) {
    const site = await request.create("dcim.site", { name: name(random) }, { tags: someTags(random) })
    now = { ...tree, site }
  }
  for (let left = random.between(1, stepsMax); left > 0 && now !== undefined; left--) {
    const possible: ObjectTree = now
    now = await random.weighted(steps.filter(({ isPossible }) => isPossible(possible))).act(request, possible, random)
  }
  return now
}
