/** The pages that change several objects at once. */
import { Effect } from "effect"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { readForm } from "../../http/wire/Body.ts"
import { type Handler, type Refusal, type Reply, type Route, type Services, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { Action } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { framed } from "../frame/Frame.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { number } from "../list/Pager.ts"
import { returnName, withQuery, withoutReturn } from "../list/Query.ts"
import { groupOf } from "../frame/Menu.ts"
import { inSentence, nameOf, pathOf, pluralOf } from "../value/Title.ts"
import { type ObjectName, type Selection, selectionOf } from "./Selection.ts"

/** The page that the reader came from: the list, or another page of ours that the address names. */
export const listOf = (type: ObjectType, { url }: Request): string => {
  const from = ownPath(url.searchParams.get(returnName))
  return from ?? withQuery(pathOf(type), withoutReturn(url.searchParams))
}

/** `1 site`, `12 sites`. */
export const counted = (type: ObjectType, count: number): string =>
  `${number(count)} ${count === 1 ? nameOf(type) : inSentence(pluralOf(type))}`

/** Leads back to the page before, which shows how many objects were written. */
export const done = (
  deed: "saved" | "deleted",
  type: ObjectType,
  request: Request,
  ids: ReadonlyArray<number>
): Reply => ({
  ...redirect(listOf(type, request)),
  cookies: [flash({ deed, type, count: ids.length })],
  written: ids
})

interface Bulk {
  readonly title: string
  readonly main: Html
  readonly status?: number
}

export const bulkPage = (type: ObjectType, request: Request, { title, main, status = 200 }: Bulk) =>
  framed(request, {
    title,
    crumbs: [[groupOf(type)], [pluralOf(type), withQuery(pathOf(type), withoutReturn(request.url.searchParams))]],
    main,
    status
  })

type Step = (request: Request, selected: Selection, form: URLSearchParams) => Effect.Effect<Reply, Refusal, Services>

/** The routes of `/<app>/<type>/<name>/` of every type that people write; a step gets at least one object. */
export const bulkRoutes = (
  name: string,
  action: Action,
  step: (type: ObjectType) => Step | undefined
): ReadonlyArray<Route> =>
  [...registry.values()]
    .filter(({ kind, isReadOnly }) => kind === "object" && !isReadOnly)
    .flatMap((type): ReadonlyArray<Route> => {
      const act = step(type)
      if (act === undefined) return []
      return [
        {
          path: `${pathOf(type)}${name}/`,
          access: type,
          action,
          keepsForm: true,
          // The objects come with a form; who opens the address alone selects them first.
          methods: {
            GET: (request) => Effect.succeed(redirect(listOf(type, request))),
            POST: handler(type, action, act)
          }
        }
      ]
    })

const handler =
  (type: ObjectType, action: Action, act: Step): Handler =>
  (request) =>
    Effect.gen(function* () {
      const form = yield* readForm(request.incoming)
      // A form that is sent again after a login is shown as it was.
      if (form.has("_again")) for (const name of ["confirmed", "step"]) form.delete(name)
      const selected = yield* selectionOf(type, request, form, action)
      if (selected.ids.length > 0) return yield* act(request, selected, form)
      const why =
        selected.missing > 0
          ? "The selected objects no longer exist, or you may not do this to them."
          : selected.isAll
            ? "No object matches the filters any more."
            : "You selected no object."
      return yield* problemPage(type, request, why, 400)
    }).pipe(
      Effect.catchIf(
        (error): error is HttpRefused => error instanceof HttpRefused && isTold(error.status),
        (refused) => problemPage(type, request, detailOf(type, refused), refused.status)
      )
    )

const isTold = (status: number): boolean => [400, 409, 413].includes(status)

/** The message of a refusal: its detail, or the faults of each filter. */
export const detailOf = (type: ObjectType, { body }: HttpRefused): string => {
  const { detail, ...others } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (typeof detail === "string") return detail
  return Object.entries(others)
    .map(([name, messages]) => `${name}: ${inWordsAll({ type, name, messages: [messages].flat().map(String) })}`)
    .join(" ")
}

const problemPage = (type: ObjectType, request: Request, problem: string, status: number) =>
  bulkPage(type, request, {
    title: pluralOf(type),
    main: html`${alert(html`<b>Nothing was changed.</b> ${problem}`)}<a
        class="btn btn-sm"
        href="${listOf(type, request)}"
        >${request.url.searchParams.has(returnName) ? "Back" : "Back to the list"}</a
      >`,
    status
  })

export const alert = (content: Html): Html => html`<div class="alert-line" role="alert">${content}</div>`

/** Shown where the objects are not those of the step before. */
export const movedOn = alert(
  html`<b>Nothing was changed, because the selected objects have changed since you opened the page.</b> These are the
    objects now.`
)

/** The names of the selected objects; those that are not named are counted. */
export const selectedCard = (type: ObjectType, { ids, missing }: Selection, named: ReadonlyArray<ObjectName>): Html =>
  html`<section class="card" aria-labelledby="selected">
    <div class="ch">
      <h2 id="selected">Selected objects</h2>
      <span class="cnt">${number(ids.length)}</span>
    </div>
    <ul class="named">
      ${named.map(({ id, display }) => html`<li><a href="${pathOf(type, id)}">${display}</a></li>`)}
      ${ids.length > named.length ? html`<li>and ${number(ids.length - named.length)} more</li>` : ""}
    </ul>
    ${missing === 0 ? "" : html`<p class="note">${missing} of the selected objects ${missing === 1 ? "is" : "are"} left out: gone, or not open to you.</p>`}
  </section>`
