// Lists: a box that selects the page, and how many objects are selected.
import { shown } from "./shown.js"

shown("[data-select-page]", (all) => {
  const form = all.form
  const boxes = [...form.querySelectorAll("input[name=id]")]
  const every = form.querySelector("input[name=all]")
  const told = form.querySelector("[data-selected]")
  /** A row that a filter hides is not selected with the others. */
  const offered = () => boxes.filter((box) => box.closest("[hidden]") === null)
  const tell = () => {
    const count = boxes.filter((box) => box.checked).length
    all.checked = count > 0 && count === offered().length
    all.indeterminate = count > 0 && !all.checked
    told.textContent = every?.checked ? "All selected:" : count > 0 ? `${count} selected:` : "With the selected:"
  }
  all.parentElement.hidden = false
  all.addEventListener("change", () => {
    for (const box of offered()) box.checked = all.checked
    tell()
  })
  form.addEventListener("change", (event) => event.target !== all && tell())
  tell()
})
