/**
 * The forms of a page of the API: one button for each method, with the body as text. A form can send POST only, so a
 * field names its method (http/Browse.ts).
 */
import { fieldNames } from "../../http/Browse.ts"
import type { Request } from "../../http/wire/Request.ts"
import { Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"

type Sender = Pick<Request, "principal">

/** A form of this page. */
export const apiForm = (sender: Sender, content: Html, classes = ""): Html =>
  html`<form method="post" class="${classes}">${csrfInput(sender)}${content}</form>`

export const methodButton = (method: string, classes = ""): Html =>
  html`<button class="btn btn-sm ${classes}" name="${fieldNames.method}" value="${method}">${method}</button>`

/** Requests the description of the address. */
export const optionsButton = (sender: Sender): Html => apiForm(sender, methodButton("OPTIONS"))

/** Requires a confirmation before the object is deleted; without scripts as well. */
export const deleteButton = (sender: Sender): Html =>
  html`<details class="menu api-delete">
    <summary class="btn btn-sm btn-danger">${icon("trash")}DELETE</summary>
    <div class="menu-list">
      ${apiForm(
        sender,
        html`<p>Delete this object? The change log keeps its last state.</p>
          ${methodButton("DELETE", "btn-danger")}`
      )}
    </div>
  </details>`

/** ETag of the object that a form was made of: nothing is overwritten that somebody else has changed since. */
export const versionInput = (etag: string | undefined): Html =>
  etag === undefined ? html`` : html`<input type="hidden" name="${fieldNames.ifMatch}" value="${etag}" />`

interface Raw {
  readonly sender: Sender
  readonly methods: ReadonlyArray<string>
  readonly content: string
  /** ETag of the object that the text was made of. */
  readonly etag: string | undefined
  readonly hint: string
}

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const lineBreak = new Html("\n")

/** The body as text, and a button for each method that takes one. */
export const rawForm = ({ sender, methods, content, etag, hint }: Raw): Html => {
  const rows = Math.min(Math.max(content.split("\n").length, 6), 24)
  const field = html`id="content" name="${fieldNames.content}" rows="${rows}" spellcheck="false" autocomplete="off"`
  return apiForm(
    sender,
    html`${versionInput(etag)}
      <label for="content">Content</label>
      <textarea class="field-in" ${field}>${lineBreak}${content}</textarea>
      <p class="sub">${hint}</p>
      <div class="form-end">
        ${methods.map((method, at) => methodButton(method, at === 0 ? "btn-primary" : method === "DELETE" ? "btn-danger" : ""))}
      </div>`,
    "api-form"
  )
}
