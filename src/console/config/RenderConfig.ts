/** `/dcim/devices/<id>/render-config/`: the configuration of a device, rendered from its config template. */
import { Effect } from "effect"
import { contextOfDevice, deviceType, rendered, templateOf, templateType } from "../../http/config/Rendered.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import type { Route } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { TryOutLimits } from "../../http/webhooks/TryOutLimits.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { pathOf } from "../value/Title.ts"

const name = "render-config/"

export const renderConfigPath = (device: number): string => `${pathOf(deviceType, device)}${name}`

const page = Effect.fnUntraced(function* (request: Request) {
  const { row, view } = yield* objectOfTab(deviceType, request)
  yield* (yield* TryOutLimits).limited(request)
  // Whole: the page has long values cut.
  const device = yield* rowOf(deviceType, request)
  const template = yield* templateOf(device)
  if (template === undefined) {
    const none = html`<div class="empty">
      <b>It has no config template that you may view.</b> Its own counts, else that of its role, else that of its
      platform.
    </div>`
    return yield* objectPage(request, { type: deviceType, row, view, main: html`<div class="card">${none}</div>` })
  }
  const content = yield* contextOfDevice(device, {}, request.base).pipe(
    Effect.flatMap((context) => rendered(template, context, request)),
    Effect.map((text) => html`<pre class="json" tabindex="0">${text}</pre>`),
    Effect.catchTag("HttpRefused", (refusal) =>
      Effect.succeed(html`<p class="note" role="alert">${reasonOf(refusal)}</p>`)
    )
  )
  return yield* objectPage(request, {
    type: deviceType,
    row,
    view,
    main: shown(String(template["name"]), template.id, content)
  })
})

const reasonOf = ({ body }: HttpRefused): string =>
  isDictionary(body) && typeof body["detail"] === "string" ? body["detail"] : "It cannot be rendered."

const shown = (title: string, template: number, content: Html): Html =>
  html`<section class="card" aria-labelledby="configuration">
    <div class="ch">
      <h2 id="configuration">Configuration</h2>
      <span class="grow"></span><a href="${pathOf(templateType, template)}">${title}</a>
    </div>
    ${content}
  </section>`

const route: Route = { path: `${pathOf(deviceType)}:id/${name}`, access: deviceType, methods: { GET: page } }
export default route
