/** The prefixes around and below a network as a tree, with how much of each is used; those below in pages. */
import { Effect } from "effect"
import { mayView } from "../../inventory/Clearance.ts"
import { baseOf, lastOf, parseNetwork, printNetwork } from "../../inventory/field/Network.ts"
import { type PrefixPlace, type TreePrefix, belowMax, treeOf } from "../../inventory/read/Prefixes.ts"
import { prefixType } from "../../inventory/read/Spaces.ts"
import { type Html, html } from "../Html.ts"
import { changed } from "../list/Query.ts"
import { shortened } from "../list/Cell.ts"
import { pathOf } from "../value/Title.ts"
import { badge, none } from "../value/Value.ts"
import { bar } from "../space/Bar.ts"
import { card, drawing } from "./Panel.ts"

const statuses = prefixType.fields["status"]!.choices!

/** Depths that the indentation distinguishes. */
const indentedMax = 8

export default drawing("hierarchy", "wide", ({ vrf: vrfField }, { type, row, request }) =>
  Effect.gen(function* () {
    if (!(yield* mayView(prefixType))) return undefined
    const network = parseNetwork(String(row["prefix"]))!
    const query = request.url.searchParams
    const behind = placeIn(query.get("behind"), network)
    const found = yield* treeOf({
      ...{ network, behind, self: type === prefixType ? row.id : undefined },
      vrf: vrfField === undefined ? undefined : (row[vrfField] as number | null)
    })
    const below = found.filter(({ place }) => place === "below")
    const shown = found.filter((each) => each.place !== "below" || below.indexOf(each) < belowMax)
    const above = found.filter(({ place }) => place === "around").length
    const last = below[belowMax - 1]
    const next =
      below.length > belowMax && last !== undefined
        ? changed(query, { behind: `${last.prefix} ${last.id}` })
        : undefined
    return card(
      "hierarchy",
      "Prefixes",
      html`${shown.length === 0 ? html`<p class="note sub">There is no prefix around or below it that you may view.</p>` : table(shown, above, type === prefixType)}
        <p class="note pages">
          ${behind === undefined ? "" : html`<a href="${changed(query, { behind: undefined })}#hierarchy">First page</a>`}
          ${next === undefined ? "" : html`<a href="${next}#hierarchy" rel="next">Next ${belowMax}</a>`}
        </p>`,
      html`<span class="grow"></span
        ><a class="btn btn-sm" href="${pathOf(prefixType)}?within=${String(row["prefix"])}">List</a>`
    )
  })
)

/** `10.3.0.0/16 17`; undefined for another text. */
const placeIn = (
  text: string | null,
  network: NonNullable<ReturnType<typeof parseNetwork>>
): PrefixPlace | undefined => {
  const [, prefix, id] = /^([\da-f.:]{2,45}\/\d{1,3}) (\d{1,15})$/.exec(text ?? "") ?? []
  const at = parseNetwork(prefix ?? "")
  if (at === undefined || id === undefined || at.family !== network.family || baseOf(at) !== at.bits) return undefined
  const isWithin = at.bits >= baseOf(network) && at.bits <= lastOf(network)
  return isWithin ? { prefix: printNetwork(at), id: Number(id) } : undefined
}

const table = (rows: ReadonlyArray<TreePrefix>, above: number, hasSelf: boolean): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter card-table dense tree">
      <caption class="visually-hidden">
        Prefixes around and below
      </caption>
      <thead>
        <tr>
          <th scope="col">Prefix</th>
          <th scope="col">Used</th>
          <th scope="col" class="lo">Status</th>
          <th scope="col" class="lo">Description</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((each, at) => line(each, each.place === "around" ? at : each.place === "self" ? above : above + (hasSelf ? 1 : 0) + each.depth))}
      </tbody>
    </table>
  </div>`

const line = ({ id, prefix, place, status, description, used, isPart }: TreePrefix, depth: number): Html => {
  const indent = `d${Math.min(depth, indentedMax)}`
  const name =
    place === "self"
      ? html`<b aria-current="page">${prefix}</b>`
      : html`<a href="${pathOf(prefixType, id)}">${prefix}</a>`
  return html`<tr ${place === "self" ? html` class="current"` : ""}>
    <th scope="row" class="mono ${indent}">${name}<span class="visually-hidden">, depth ${depth}</span></th>
    <td>${bar(Number(used), isPart)}</td>
    <td class="lo">${badge(status, statuses[status] ?? status)}</td>
    <td class="lo">${description === "" ? none : shortened(description, 100)}</td>
  </tr>`
}
