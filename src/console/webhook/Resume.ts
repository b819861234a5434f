/** `/extras/webhooks/<id>/resume/`: lets the user choose which deliveries of the pause are sent. */
import { Effect } from "effect"
import { healthOf } from "../../history/health/Healths.ts"
import { askToResume } from "../../requests/Operations.ts"
import { keepChoices } from "../../requests/Resume.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { icon } from "../frame/Icon.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"
import { actForm, actPage, backTo, openedWebhook, webhookType } from "./Opened.ts"

const choices = {
  all: "All of them, in their order.",
  latest: "The newest of each object. The others are discarded, and the log says so.",
  none: "None. All are discarded, and the log says so."
} as const

const page = Effect.fnUntraced(function* (request: Request, problem?: string) {
  const { row, display } = yield* openedWebhook(request)
  const asked = { id: row.id, display, title: "Resume" }
  if (row.paused !== true) {
    return yield* actPage(request, { ...asked, problem: "The webhook is not paused.", main: backTo(row.id) })
  }
  const [health] = yield* healthOf([row])
  const { waiting } = health!
  return yield* actPage(request, {
    ...asked,
    problem,
    main: actForm(
      request,
      row.id,
      html`<fieldset>
        <legend>
          ${waiting === 0 ? "No delivery waits." : `${number(waiting)} ${waiting === 1 ? "delivery waits" : "deliveries wait"}.`}
          Which waiting deliveries are sent?
        </legend>
        ${keepChoices.map(
          (choice) =>
            html`<label class="choice"
              ><input
                class="form-check-input"
                type="radio"
                name="keep"
                value="${choice}"
                ${choice === "all" ? html` checked` : ""}
              />${choices[choice]}</label
            >`
        )}
      </fieldset>`,
      html`<button class="btn btn-sm btn-primary">${icon("player-play")}Resume</button>`
    )
  })
})

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const keep = (yield* readForm(request.incoming)).get("keep")
    const { row } = yield* openedWebhook(request)
    const kept = keepChoices.find((choice) => choice === keep)
    if (kept === undefined) return yield* page(request, "Choose one of the three.")
    if (row.paused !== true) return yield* page(request)
    yield* askToResume(row.id, kept)
    const cookies = [flash({ deed: "resumed", type: webhookType, id: row.id })]
    return { ...redirect(pathOf(webhookType, row.id)), cookies, written: [row.id] }
  })

export default {
  path: `${pathOf(webhookType)}:id/resume/`,
  access: webhookType,
  action: "change",
  methods: { GET: (request) => page(request), POST: submit }
} satisfies Route
