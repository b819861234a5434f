// Colours: a picker beside the text of six hexadecimal digits, which stays what is sent.
import { shown } from "./shown.js"

shown("[data-color]", (input) => {
  const picker = Object.assign(document.createElement("input"), { type: "color", className: "color-in" })
  const label = document.querySelector(`label[for="${input.id}"]`)?.firstChild?.textContent.trim() ?? "Colour"
  picker.setAttribute("aria-label", `Pick ${label.toLowerCase()}`)
  const show = () => {
    if (/^[0-9a-f]{6}$/i.test(input.value)) picker.value = `#${input.value}`
  }
  show()
  input.addEventListener("input", show)
  picker.addEventListener("input", () => {
    input.value = picker.value.slice(1)
    input.dispatchEvent(new Event("input", { bubbles: true }))
  })
  input.parentElement.querySelector(".swatch")?.remove()
  input.before(picker)
})
