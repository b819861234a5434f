/** The foot of a list: which objects it shows, and the way to the others. */
import { type Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { changed } from "./Query.ts"

interface Shown {
  readonly query: URLSearchParams
  readonly limit: number
  readonly offset: number
  readonly count: number
  readonly total: number
}

export const pager = ({ query, limit, offset, count, total }: Shown): Html => {
  const link = (name: "chevron-left" | "chevron-right", title: string, at: number | undefined) =>
    at === undefined
      ? html`<li class="page-item disabled">
          <span class="page-link">${icon(name)}<span class="visually-hidden">${title}</span></span>
        </li>`
      : html`<li class="page-item">
          <a
            class="page-link"
            href="${changed(query, { offset: `${at}` })}"
            rel="${title === "Next page" ? "next" : "prev"}"
            >${icon(name)}<span class="visually-hidden">${title}</span></a
          >
        </li>`
  const range = count === 0 ? "0" : `${number(offset + 1)}–${number(offset + count)}`
  return html`<div class="tf">
    <span class="sub">${range} of ${number(total)}</span><span class="grow"></span>
    <nav aria-label="Pages">
      <ul class="pagination pagination-sm m-0">
        ${link("chevron-left", "Previous page", offset > 0 ? Math.max(offset - limit, 0) : undefined)}
        ${link("chevron-right", "Next page", offset + limit < total ? offset + limit : undefined)}
      </ul>
    </nav>
  </div>`
}

/** 1234567 -> `1,234,567`. */
export const number = (value: number): string => value.toLocaleString("en")
