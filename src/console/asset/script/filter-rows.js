// Filters the rows of tables on a page while its reader types.
import { shown } from "./shown.js"

shown("[data-filter-rows]", (input) => {
  const tables = input.closest("section").querySelector("[data-rows]")
  if (tables === null || input.value !== "") return
  const rows = [...tables.querySelectorAll("[data-row]")]
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]))
  input.form.querySelector("button").hidden = true
  input.form.addEventListener("submit", (event) => event.preventDefault())
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/)
    for (const row of rows) row.hidden = !words.every((word) => texts.get(row).includes(word))
    for (const kind of tables.querySelectorAll("[data-kind]")) {
      const own = [...kind.querySelectorAll("[data-row]")]
      const left = own.filter((row) => !row.hidden)
      kind.hidden = left.length === 0
      const count = kind.querySelector("[data-count]")
      count.textContent = left.length === own.length ? own.length : `${left.length} of ${own.length}`
      // A hidden row is not selected.
      for (const row of own) if (row.hidden) for (const box of row.querySelectorAll("[name=id]")) box.checked = false
    }
  })
})
