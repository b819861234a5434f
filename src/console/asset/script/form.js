// Helps with forms of one object. Without this script they work alike.
import { shown } from "./shown.js"

/** Largest form that the service takes, bytes. */
const formBytesMax = 256 * 1024
const tooLarge = "The form is too large to be sent. Shorten the longest text, or write it with the API."

/** Largest image, bytes. */
const imageBytesMax = 10 * 1024 * 1024
const tooLargeImage = "An image is larger than 10 MiB. Choose a smaller one."

/** A form as a text, files as their names. */
const textOf = (fields) => new URLSearchParams(fields.map(([name, value]) => [name, value.name ?? value])).toString()

const filesOf = (form) => [...form.querySelectorAll("input[type=file]")].flatMap(({ files }) => [...files])

shown("[data-form]", (form) => {
  const problem = Object.assign(document.createElement("p"), { className: "field-error", role: "alert" })
  form.querySelector(".form-end").append(problem)
  const refuse = (event) => {
    const isTooLarge = textOf([...new FormData(form)]).length > formBytesMax
    const isLargeImage = filesOf(form).some(({ size }) => size > imageBytesMax)
    problem.textContent = isTooLarge ? tooLarge : isLargeImage ? tooLargeImage : ""
    if (!isTooLarge && !isLargeImage) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  // Before htmx sends it.
  form.addEventListener("submit", refuse, { capture: true })
  // A value that is changed in a conflict is the one to save.
  form.addEventListener("input", ({ target }) => {
    if (target.type === "radio") return
    const mine = target.closest(".form-row")?.querySelector(".conflict [value=mine]")
    if (mine) mine.checked = true
  })
})

// A wrong field is shown whole, with its label and its error: a browser shows of a text the line of the cursor alone.
const showWrong = (field) =>
  field?.closest?.("[data-form] .form-row:has(.field-error)")?.scrollIntoView({ block: "nearest" })
document.addEventListener("focusin", ({ target }) => showWrong(target))
showWrong(document.activeElement)

// A form that is shown again, refused or as a preview, keeps the files that were chosen.
let chosen = new Map()
document.addEventListener("htmx:before:swap", () => {
  const inputs = document.querySelectorAll("[data-form] input[type=file]")
  chosen = new Map([...inputs].map(({ name, files }) => [name, files]))
})
document.addEventListener("htmx:after:swap", () => {
  for (const input of document.querySelectorAll("[data-form][data-unsaved] input[type=file]"))
    if (chosen.get(input.name)?.length > 0) input.files = chosen.get(input.name)
  chosen.clear()
})

// A page is not left with what was typed and never saved, unless its reader says so.
const opened = new WeakMap()
let isSent = false

/** Values of the object's fields. The workbench has fields of its own, which begin with an underscore. */
const typedIn = (form) => textOf([...new FormData(form)].filter(([name]) => !name.startsWith("_")))

shown("[data-form]", (form) => {
  // Pickers change their forms while they are set up.
  setTimeout(() => opened.set(form, "unsaved" in form.dataset ? "" : typedIn(form)))
  form.addEventListener("submit", () => (isSent = true))
})
document.addEventListener("htmx:finally:request", () => (isSent = false))

addEventListener("beforeunload", (event) => {
  const form = document.querySelector("[data-form]")
  if (form === null || isSent || !opened.has(form) || opened.get(form) === typedIn(form)) return
  event.preventDefault()
})
