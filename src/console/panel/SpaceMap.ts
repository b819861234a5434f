/** The space of a network or of a VLAN group as a map: a free piece leads to the form of what can be there. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import type { Row } from "../../inventory/Field.ts"
import { type OwnedSpan, blockAround, blockOfNetwork, cellOf, lastIn } from "../../inventory/derive/values/SpaceMap.ts"
import { hostsOf } from "../../inventory/derive/values/Space.ts"
import { type Network, parseNetwork, widthOf } from "../../inventory/field/Network.ts"
import { type Owner, addressType, occupationOf, prefixType, vlanType, vlansIn } from "../../inventory/read/Spaces.ts"
import { html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { allocateForm } from "../space/AllocateForm.ts"
import { spaceGrid } from "../space/Grid.ts"
import { frameIn, networkWords } from "../space/Networks.ts"
import { vlanFrame, vlanWords } from "../space/Vlans.ts"
import { pathOf } from "../value/Title.ts"
import { type About, card, drawing } from "./Panel.ts"

export default drawing("spaceMap", "side", ({ of, vrf }, about) =>
  Effect.gen(function* () {
    const content = of === "vlans" ? yield* vlanMap(about) : yield* networkMap(about, vrf)
    return card("space", "Space", content)
  })
)

const networkMap = Effect.fnUntraced(function* ({ type, row, request }: About, vrfField: string | undefined) {
  const network = parseNetwork(String(row["prefix"]))!
  const vrf = vrfField === undefined ? undefined : (row[vrfField] as number | null)
  if (row["mark_utilized"] === true) return html`<p class="note">It is marked as fully utilized.</p>`
  const frame = frameIn(network, request.url.searchParams.get("space"))
  const found = yield* occupationOf({ network, vrf, withSelf: vrf === undefined }, frame)
  const mayAdd = { prefix: yield* mayDo(prefixType, "add"), address: yield* mayDo(addressType, "add") }
  const words = networkWords({ network, path: pathOf(type, row.id), filled: filledFrom(row), mayAdd })
  const reserved = cellOf(frame) === 0 && type === prefixType ? notForHosts(network, row["is_pool"] === true) : []
  const grid = spaceGrid({
    ...{ whole: blockOfNetwork(network), frame, words },
    found: { ...found, taken: [...found.taken, ...reserved] }
  })
  return html`${grid}${type === prefixType ? allocateForm(request as Request, row.id, network, mayAdd) : ""}`
})

/** Values that what is added in a network usually shares with it. */
const filledFrom = (row: Row): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["vrf", "site", "tenant"].flatMap((name) => (typeof row[name] === "number" ? [[name, `${row[name]}`]] : []))
  )

/** The addresses that no host can have. */
const notForHosts = (network: Network, isPool: boolean): ReadonlyArray<OwnedSpan<Owner>> => {
  const [whole, hosts] = [blockOfNetwork(network), hostsOf(network, isPool)]
  const taken = (bits: bigint, text: string) => ({ first: bits, last: bits, owner: { id: 0, text } })
  return [
    ...(hosts.first > whole.first
      ? [taken(whole.first, widthOf(network.family) === 32 ? "Network address" : "Subnet router anycast address")]
      : []),
    ...(hosts.last < lastIn(whole) ? [taken(lastIn(whole), "Broadcast address")] : [])
  ]
}

const vlanMap = Effect.fnUntraced(function* ({ type, row, request }: About) {
  const space = { group: row.id, first: BigInt(Number(row["min_vid"])), last: BigInt(Number(row["max_vid"])) }
  const whole = blockAround(space.first, space.last)
  const frame = vlanFrame(space, request.url.searchParams.get("space"))
  const { occupation, next } = yield* vlansIn(row.id, space, frame)
  const words = vlanWords(space, pathOf(type, row.id), yield* mayDo(vlanType, "add"))
  const outside: Owner = { id: 0, text: "Not of this group" }
  const beyond = [
    { first: whole.first, last: space.first - 1n, owner: outside },
    { first: space.last + 1n, last: lastIn(whole), owner: outside }
  ].filter(({ first, last }) => first <= last)
  const found = { ...occupation, taken: [...occupation.taken, ...beyond] }
  const add = next === undefined ? undefined : words.add({ first: BigInt(next), size: 0 })
  return html`${spaceGrid({ whole, frame, words, found })}${
    add === undefined
      ? ""
      : html`<p class="allocate">
          <a class="btn btn-sm" href="${add}">${icon("plus")}Add a VLAN with the next free ID, ${next!}</a>
        </p>`
  }`
})
