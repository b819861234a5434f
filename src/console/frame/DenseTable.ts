/** A table of many short rows, as wide as its card, with a caption for screen readers. */
import { type Html, html } from "../Html.ts"

/** `heads` are the cells of its first row, `rows` the others. */
export const denseTable = (caption: string, heads: Html | ReadonlyArray<Html>, rows: ReadonlyArray<Html>): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
