/** The filters of the changes of one object: by time, user and field. */
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

const filters = [
  { name: "time__gte", title: "From", type: "date" },
  { name: "time__lt", title: "Before", type: "date" },
  { name: "user_name", title: "User", type: "text" },
  { name: "changed_field", title: "Changed field", type: "text" }
] as const

export const changeFilters: ReadonlyArray<string> = filters.map(({ name }) => name)

export const changeFilterForm = (query: URLSearchParams): Html => {
  const count = changeFilters.filter((name) => (query.get(name) ?? "") !== "").length
  return html`<details class="filters">
    <summary class="btn btn-sm">
      ${icon("filter")}Filters${count > 0 ? html`<span class="cnt">${count}</span>` : ""}
    </summary>
    <form method="get">
      ${filters.map(
        ({ name, title, type }) =>
          html`<label
            >${title}<input
              class="field-in"
              type="${type}"
              name="${name}"
              value="${query.get(name) ?? ""}"
              maxlength="200"
          /></label>`
      )}
      <div class="end">
        <button class="btn btn-sm btn-primary">Apply</button>
        <a class="btn btn-sm" href="?">Clear</a>
      </div>
    </form>
  </details>`
}
