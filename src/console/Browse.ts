/** The browsable API: an answer of the API as a page, with the forms of the requests that its reader may send. */
import { Effect } from "effect"
import { actionOf } from "../http/Admission.ts"
import { type Browsed, type Browsing, fieldNames } from "../http/Browse.ts"
import { methodsOf, redirect } from "../http/Route.ts"
import { etagHeader } from "../http/wire/Etag.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { isNothing } from "../inventory/derive/filter/Where.ts"
import { isDictionary } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { byIds } from "../inventory/read/Read.ts"
import { html } from "./Html.ts"
import { bodyOfRow, exampleOf } from "./api/Example.ts"
import { answerCard, commandCard } from "./api/Answer.ts"
import { bodyOfFields, fieldsForm } from "./api/FieldsForm.ts"
import { refused } from "./api/Refused.ts"
import { deleteButton, optionsButton, rawForm } from "./api/RequestForms.ts"
import { framed } from "./frame/Frame.ts"
import { icon } from "./frame/Icon.ts"
import { askedFilter, chips, filterForm } from "./filter/Filters.ts"
import { namedObjects, withIds } from "./filter/NamedObjects.ts"
import { withoutBlanks } from "./list/Query.ts"
import { nameOf, pathOf, pluralOf } from "./value/Title.ts"

/** The part of the API that a page shows. */
interface Place {
  /** The type whose list or object it is. */
  readonly list?: ObjectType
  readonly object?: ObjectType
}

const placeOf = ({ path, access }: Browsed["route"]): Place => {
  if (typeof access === "string") return {}
  if (path === access.path) return { list: access }
  return path === `${access.path}:id/` ? { object: access } : {}
}

const page: Browsing["page"] = (browsed) =>
  Effect.gen(function* () {
    const { request, route, reply, refusal, method } = browsed
    const { url, principal } = request
    const place = placeOf(route)
    const asked = withoutBlanks(askedFilter(url.searchParams) ?? url.searchParams)
    const filled = place.list === undefined ? asked : yield* withIds(place.list, asked, request.base)
    // Without scripts the form of the filters sends every field that was left blank.
    if (place.list !== undefined && method === "GET" && `${filled}` !== `${url.searchParams}`) {
      return redirect(`${url.pathname}?${filled}`)
    }
    const login = `/login/?${new URLSearchParams({ next: url.pathname + url.search })}`
    const shown = yield* framed(request, {
      title: titleOf(browsed, place),
      crumbs: crumbsOf(browsed),
      actions: yield* actions(browsed, place),
      main: html`${refused(refusal, principal, login)}
        ${place.list === undefined ? "" : yield* filters(place.list, request)}
        <div class="panels">
          <div>${yield* answerCard(browsed)}</div>
          <div>${yield* forms(browsed, place)}${commandCard(browsed)}</div>
        </div>`,
      // An answer without content could not show a page.
      status: reply.status === 204 ? 200 : reply.status
    })
    const { allow, "retry-after": retryAfter } = { ...reply.headers }
    return {
      ...shown,
      headers: { ...shown.headers, ...(allow && { allow }), ...(retryAfter && { "retry-after": retryAfter }) }
    }
  })

const filters = Effect.fnUntraced(function* (type: ObjectType, { url, base }: Browsed["request"]) {
  const query = url.searchParams
  const named = yield* namedObjects(type, query, base)
  return html`<div class="tools">
    ${yield* filterForm(type, url.pathname, query, named)}${chips(type, query, named)}
  </div>`
})

const titleOf = ({ request: { url, params }, reply }: Browsed, { list, object }: Place): string => {
  if (list !== undefined) return pluralOf(list)
  const display = isDictionary(reply.json) ? reply.json["display"] : undefined
  if (object !== undefined)
    return typeof display === "string" ? display : capital(`${nameOf(object)} ${params["id"] ?? ""}`)
  return url.pathname === "/api/" ? "REST API" : worded(url.pathname.split("/").at(-2) ?? "")
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `dcim` -> `DCIM`, `object-changes` -> `Object changes`. */
const worded = (segment: string): string =>
  segment.length < 5 ? segment.toUpperCase() : capital(segment.replaceAll("-", " "))

/** The addresses above this one. */
const crumbsOf = ({ request: { url }, exists }: Browsed): ReadonlyArray<readonly [title: string, path?: string]> => {
  const segments = url.pathname.split("/").filter((segment) => segment !== "")
  return segments.slice(0, -1).map((segment, at) => {
    const path = `/${segments.slice(0, at + 1).join("/")}/`
    const title = at === 0 ? "REST API" : worded(segment)
    return exists(path) ? [title, path] : [title]
  })
}

/** The methods beside GET that the reader may use here, on some objects at least. */
const allowedMethods = ({ route }: Browsed) =>
  Effect.map(Clearance, ({ where }) => {
    const { access } = route
    if (typeof access === "string") return []
    return methodsOf(route.methods).filter(
      (method) => method !== "GET" && !isNothing(where(access, actionOf(route, method)))
    )
  })

const actions = Effect.fnUntraced(function* (browsed: Browsed, { list, object }: Place) {
  const { request, reply } = browsed
  const { session } = request.principal
  const shown = list ?? (reply.status < 400 && reply.status !== 204 ? object : undefined)
  const id = object === undefined ? undefined : Number(request.params["id"])
  const methods = yield* allowedMethods(browsed)
  return html`${shown === undefined ? "" : html`<a class="btn btn-sm" href="${pathOf(shown, id)}">${icon("stack-3")}Console</a>`}
    <a class="btn btn-sm" href="/api/schema/swagger-ui/">${icon("code")}Description</a>
    ${optionsButton(request)}
    <a class="btn btn-sm" href="${request.url.pathname + request.url.search}">GET</a>
    ${session !== undefined && shown === object && object !== undefined && methods.includes("DELETE") ? deleteButton(request) : ""}`
})

/** The forms of the requests that the reader may send here: one with fields, and one with the body as text. */
const forms = Effect.fnUntraced(function* (browsed: Browsed, place: Place) {
  const { request, route, refusal, form, method } = browsed
  const { session } = request.principal
  const typed = refusal === undefined ? null : yield* typedIn(browsed)
  const all = session === undefined ? [] : yield* allowedMethods(browsed)
  const methods = place.object === undefined ? all : all.filter((each) => each !== "DELETE")
  // Without a session only what was typed in one that has ended is kept.
  const body = typed === null && methods.length === 0 ? undefined : yield* bodyFor(browsed, place)
  if (body === undefined && typed === null) return html``
  const raw = {
    sender: request,
    methods: methods.length === 0 ? [method] : methods,
    content: typed ?? body?.content ?? "",
    etag: body?.etag
  }
  const own = place.list === undefined ? ("PUT" as const) : ("POST" as const)
  const type = place.list ?? place.object
  const hasFields = session !== undefined && type !== undefined && methods.includes(own)
  const fields = hasFields
    ? yield* fieldsForm({
        ...{ sender: request, type, refusal, method: own, row: body?.row, etag: body?.etag },
        sent: refusal !== undefined && typed === null && form.get(fieldNames.method) === own ? form : undefined
      })
    : html``
  return html`<section class="card api-forms" aria-label="Requests">
    ${
      hasFields
        ? html`<details name="body" ${typed === null ? html` open` : ""}>
            <summary class="ch"><h2>Form</h2></summary>
            ${fields}
          </details>`
        : ""
    }
    <details name="body" ${hasFields && typed === null ? "" : html` open`}>
      <summary class="ch"><h2>Raw data</h2></summary>
      ${rawForm({ ...raw, hint: hintOf(place, route.path) })}
    </details>
  </section>`
})

/** The body that was typed as text; without a session also one that was typed into fields. */
const typedIn = Effect.fnUntraced(function* ({ request, route, method, form }: Browsed) {
  const content = form.get(fieldNames.content)
  if (content !== null || request.principal.session !== undefined || form.size === 0) return content
  return JSON.stringify(yield* bodyOfFields(route, method, form), undefined, 4)
})

/** Longest body that the form begins with, characters. */
const contentCharsMax = 64 * 1024

/** The body that the form begins with; undefined if there is no object to change. */
const bodyFor = Effect.fnUntraced(function* ({ request, route }: Browsed, { list, object }: Place) {
  const none = { row: undefined, etag: undefined }
  if (list !== undefined) return { ...none, content: exampleOf(list) }
  if (object === undefined) {
    const isImport = route.path.endsWith("/import/") && typeof route.access !== "string"
    return { ...none, content: isImport ? `[${exampleOf(route.access)}]` : "{}" }
  }
  const id = request.params["id"] ?? ""
  const [row] = /^\d{1,15}$/.test(id) ? yield* byIds(object, [Number(id)]) : []
  if (row === undefined) return undefined
  const content = bodyOfRow(object, row)
  return { row, etag: etagHeader(row)["etag"], content: content.length > contentCharsMax ? "{}" : content }
})

const hintOf = ({ list, object }: Place, path: string): string => {
  if (list !== undefined) {
    return "JSON. POST takes an object or a list of them; PUT, PATCH and DELETE take a list of objects with their ids."
  }
  if (object !== undefined) return "JSON. PUT replaces the object; PATCH changes the fields that it names."
  return path.endsWith("/import/") ? "JSON, CSV or YAML. With ?dry_run=true nothing is written." : "JSON."
}

export const browsing: Browsing = { page, bodyOf: bodyOfFields }
