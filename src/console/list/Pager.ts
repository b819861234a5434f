/** The foot of a list: which objects it shows, the way to its other pages, and how many objects a page has. */
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { changed } from "./Query.ts"

interface PageRange {
  readonly query: URLSearchParams
  readonly limit: number
  readonly offset: number
  readonly count: number
  readonly total: number
  /** Most objects of a page; 0 for no limit. */
  readonly most: number
  /** Sizes that the menu offers; the usual ones if absent. */
  readonly sizes?: ReadonlyArray<number>
}

export const pager = (shown: PageRange): Html => {
  const { query, limit, offset, count, total } = shown
  const step = (name: "chevron-left" | "chevron-right", title: string, at: number | undefined) =>
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
  return html`<div class="tf" hx-swap:inherited="outerHTML show:top">
    <span class="sub" role="status">${range} of ${number(total)}</span><span class="grow"></span>
    <nav aria-label="Pages">
      <ul class="pagination pagination-sm m-0">
        ${step("chevron-left", "Previous page", offset > 0 ? Math.max(offset - limit, 0) : undefined)}
        ${numbered(shown)} ${step("chevron-right", "Next page", offset + limit < total ? offset + limit : undefined)}
      </ul>
    </nav>
    ${sizes(shown)}
  </div>`
}

/** Pages beside the shown one that have a link, on either side. */
const near = 2

/** The numbers of the first, the last and the near pages; 0 replaces numbers that are left out between two. */
export const pageNumbers = (at: number, pages: number): ReadonlyArray<number> => {
  const shown = [1, ...Array.from({ length: 2 * near + 1 }, (_, n) => at - near + n), pages]
  const known = [...new Set(shown)].filter((page) => page >= 1 && page <= pages).sort((a, b) => a - b)
  return known.flatMap((page, n) => {
    const gap = page - (known[n - 1] ?? page)
    return gap > 2 ? [0, page] : gap === 2 ? [page - 1, page] : [page]
  })
}

const numbered = ({ query, limit, offset, total }: PageRange): Html => {
  const pages = Math.ceil(total / limit)
  // A page that begins anywhere has no number.
  if (pages < 2 || offset % limit !== 0) return html``
  const at = offset / limit + 1
  return html`${pageNumbers(at, pages).map((page) =>
    page === 0
      ? html`<li class="page-item disabled lo"><span class="page-link">…</span></li>`
      : html`<li class="page-item lo ${page === at ? "active" : ""}">
          <a
            class="page-link"
            href="${changed(query, { offset: page === 1 ? undefined : `${(page - 1) * limit}` })}"
            ${page === at ? html`aria-current="page"` : ""}
            ><span class="visually-hidden">Page </span>${number(page)}</a
          >
        </li>`
  )}`
}

/** Sizes of a page that the menu offers, beside the one that is shown. */
const offered = [25, 50, 100, 250, 500, 1000]

const sizes = ({ query, limit, total, most, sizes: own = offered }: PageRange): Html => {
  if (total <= own[0]!) return html``
  const known = [...new Set([...own, limit])].filter((size) => most === 0 || size <= most).sort((a, b) => a - b)
  return html`<details class="menu menu-up">
    <summary class="btn btn-sm">${number(limit)} per page${icon("chevron-down", "chev")}</summary>
    <ul class="menu-list">
      ${known.map(
        (size) =>
          html`<li>
            <a
              href="${changed(query, { limit: `${size}`, offset: undefined })}"
              ${size === limit ? html`aria-current="true"` : ""}
              >${number(size)} per page</a
            >
          </li>`
      )}
    </ul>
  </details>`
}

/** 1234567 -> `1,234,567`. */
export const number: (value: number) => string = new Intl.NumberFormat("en").format
