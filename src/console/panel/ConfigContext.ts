/** The merged config context of a device or a virtual machine, folded; nothing where it has none. */
import { Effect } from "effect"
import { mayView } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { configContextsOf } from "../../inventory/context/ConfigContexts.ts"
import { type Html, html } from "../Html.ts"
import { renderConfigPath } from "../config/RenderConfig.ts"
import { jsonOf } from "../value/Value.ts"
import { card, drawing } from "./Panel.ts"

const templateType = objectType("extras.configtemplate")

export default drawing("configContext", "wide", (_, { type, row }) =>
  Effect.gen(function* () {
    const local = row["local_context_data"]
    // The page reads long values cut.
    const isCut = typeof local === "string"
    const contextOf = isCut ? undefined : yield* configContextsOf(type, [row])
    const merged = contextOf?.(row.id, local) ?? undefined
    const canRender = type.id === "dcim.device" && (yield* mayView(templateType))
    if (merged !== undefined && Object.keys(merged).length === 0 && !canRender) return undefined
    const tools = canRender
      ? html`<a class="btn btn-sm" href="${renderConfigPath(row.id)}">Render configuration</a>`
      : ""
    return card(
      "config-context",
      "Config context",
      contentOf(merged, `${type.path}${row.id}/`),
      html`<span class="grow"></span>${tools}`
    )
  })
)

const contentOf = (merged: Readonly<Record<string, unknown>> | undefined, path: string): Html => {
  if (merged === undefined) {
    return html`<p class="note">
      It is too large for a page: <a href="${path}?fields=config_context">see the API</a>.
    </p>`
  }
  const count = Object.keys(merged).length
  if (count === 0) return html`<p class="note">No config context applies.</p>`
  return html`<details class="fold-in">
    <summary>${count} ${count === 1 ? "value" : "values"}</summary>
    ${jsonOf(merged)}
  </details>`
}
