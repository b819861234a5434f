/** `/<app>/<type>/<id>/journal/`: notes about the object, and a form for one more. */
import { Effect, Result } from "effect"
import { Settings } from "../../Config.ts"
import { missingView } from "../value/May.ts"
import { authorize } from "../../auth/Permission.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { pageBounds } from "../../http/wire/Paging.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { type Errors, type Row, type View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { create } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { Html, html } from "../Html.ts"
import { withPageSize } from "../account/Preferences.ts"
import { csrfInput } from "../form/Csrf.ts"
import { flash } from "../frame/Flash.ts"
import { icon } from "../frame/Icon.ts"
import { pager } from "../list/Pager.ts"
import { journalType, listedIn, objectOfTab, objectPage } from "./ObjectPage.ts"
import { timeOf } from "../value/Time.ts"
import { nameOf, pathOf } from "../value/Title.ts"
import { markdown } from "../value/Markdown.ts"
import { badge } from "../value/Value.ts"
import { inWordsAll } from "../fault/InWords.ts"

interface EntryDraft {
  readonly kind: string
  readonly comments: string
  readonly errors: Errors
}

const blank: EntryDraft = { kind: "info", comments: "", errors: {} }

const page = Effect.fnUntraced(function* (type: ObjectType, request: Request, typed: EntryDraft, status = 200) {
  const { row, view } = yield* objectOfTab(type, request)
  if (!(yield* mayView(journalType))) return yield* missingView(journalType)
  const { pageSize, pageSizeMax } = yield* Settings
  const query = request.url.searchParams
  const asked = withPageSize(request).url.searchParams
  const { offset, limit = pageSize } = pageBounds(asked, { usual: pageSize, max: pageSizeMax })
  const where = listedIn("journal", type, row.id)
  const { rows, beside } = yield* readPage(journalType, { where, ordering: ["-created"], limit, offset, isCut: true })
  const entries = yield* viewFor(journalType, rows, request.base, beside)
  const total = yield* countBeside(journalType, where, { limit, offset }, rows.length)
  const mayAdd = yield* mayDo(journalType, "add")
  return yield* objectPage(request, {
    ...{ type, row, view, status },
    tab: "journal",
    main: html`${mayAdd ? form(request, typed) : ""}
      <div class="card">
        ${
          rows.length === 0
            ? html`<div class="empty"><b>Nobody has written about this ${nameOf(type)} yet.</b></div>`
            : html`<ol class="journal">
                ${rows.map((each) => entry(each, entries))}
              </ol>`
        }
        ${total === 0 ? "" : pager({ query, limit, offset, count: rows.length, total, most: pageSizeMax })}
      </div>`
  })
})

const kinds = journalType.fields["kind"]!.choices!

const entry = (row: Row, view: View): Html => {
  const author = typeof row["created_by"] === "number" ? view.row("users.user", row["created_by"]) : undefined
  const kind = String(row["kind"])
  return html`<li>
    <div class="entry-head">
      ${badge(kind, kinds[kind] ?? kind)}
      <b>${author === undefined ? "Somebody" : String(author["username"])}</b>
      <a href="${pathOf(journalType, row.id)}">${timeOf(String(row["created"]))}</a>
    </div>
    <div class="entry-text">${markdown(String(row["comments"]))}</div>
  </li>`
}

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const lineBreak = new Html("\n")

const form = (request: Request, { kind, comments, errors }: EntryDraft): Html => {
  const messages = Object.entries(errors).map(([name, messages]) =>
    inWordsAll({ type: journalType, name, messages, input: name === "comments" ? comments : undefined })
  )
  const isWrong = messages.length > 0
  const marks = isWrong ? html` aria-invalid="true" aria-describedby="wrong" autofocus` : ""
  return html`<form class="card object-form" method="post" aria-label="Add a journal entry">
    ${csrfInput(request)}
    <div class="form-row">
      <label for="kind">Kind</label>
      <select class="field-in" id="kind" name="kind">
        ${Object.entries(kinds).map(([key, label]) => html`<option value="${key}" ${key === kind ? html` selected` : ""}>${label}</option>`)}
      </select>
    </div>
    <div class="form-row">
      <label for="comments">Comments<span class="required" title="required">*</span></label>
      <div>
        <textarea class="field-in" id="comments" name="comments" rows="3" ${marks}>${lineBreak}${comments}</textarea>
        ${isWrong ? html`<p class="field-error" id="wrong">${messages.join(" ")}</p>` : ""}
      </div>
    </div>
    <div class="form-end"><button class="btn btn-sm btn-primary">${icon("plus")}Add entry</button></div>
  </form>`
}

const show =
  (type: ObjectType): Handler =>
  (request) =>
    page(type, request, blank)

const add =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const sent = yield* readForm(request.incoming)
      const { row } = yield* objectOfTab(type, request)
      yield* authorize(request.principal, "POST", "add", journalType)
      const kind = sent.get("kind") ?? "info"
      const comments = (sent.get("comments") ?? "").replaceAll("\r\n", "\n")
      // After a login the form is shown as it was sent.
      if (sent.has("_again")) return yield* page(type, request, { kind, comments, errors: {} })
      const body = { assigned_object_type: type.id, assigned_object_id: row.id, kind, comments }
      const made = yield* Effect.result(create(journalType, [body], request.author))
      if (Result.isSuccess(made)) {
        return { ...redirect(request.url.pathname), cookies: [flash({ deed: "added", type: journalType })] }
      }
      return made.failure instanceof WriteRefused
        ? yield* page(type, request, { kind, comments, errors: made.failure.errors[0] ?? {} }, 400)
        : yield* made.failure
    })

export default [...registry.values()]
  .filter(({ kind }) => kind === "object")
  .map((type): Route => ({
    path: `${pathOf(type)}:id/journal/`,
    access: type,
    action: "view",
    keepsForm: true,
    methods: { GET: show(type), POST: add(type) }
  }))
