// The list of a picker: what was found below its input, and a sentence about it.
import { make } from "./shown.js"

/** The values of a picker of several. */
export const itemsOf = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

let popups = 0

export class PickerPopup {
  constructor(input, title) {
    const id = `picker-${(popups += 1)}`
    this.input = input
    this.options = []
    this.active = -1
    this.list = make("ul", { id, className: "picker-list", hidden: true }, { role: "listbox", "aria-label": title })
    this.status = make("p", { className: "visually-hidden" }, { role: "status" })
    this.element = make("div", { className: "picker-popup" })
    this.element.append(this.list, this.status)
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id }
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value)
  }

  get isOpen() {
    return !this.list.hidden
  }

  show(options) {
    this.options = options
    this.active = -1
    this.list.replaceChildren(
      ...options.map(({ display, detail, addition }, at) => {
        const option = make("li", { id: `${this.list.id}-${at}` }, { role: "option", "aria-selected": "false" })
        if (addition) option.className = "picker-add"
        option.append(make("span", { textContent: display }))
        if (detail) option.append(make("span", { className: "sub", textContent: detail }))
        return option
      })
    )
    this.list.hidden = options.length === 0
    this.input.setAttribute("aria-expanded", String(options.length > 0))
    this.input.removeAttribute("aria-activedescendant")
  }

  /** Speaks to screen readers; a message for everybody is below the list. */
  tell(text, isShown = true) {
    this.status.textContent = text
    this.status.className = isShown ? "picker-status" : "visually-hidden"
  }

  hide() {
    this.list.hidden = true
    this.active = -1
    this.input.setAttribute("aria-expanded", "false")
    this.input.removeAttribute("aria-activedescendant")
    this.tell("", false)
  }

  move(by) {
    const { children } = this.list
    if (this.active >= 0) children[this.active].setAttribute("aria-selected", "false")
    this.active = (this.active + by + children.length + (this.active < 0 && by < 0 ? 1 : 0)) % children.length
    const option = children[this.active]
    option.setAttribute("aria-selected", "true")
    option.scrollIntoView({ block: "nearest" })
    this.input.setAttribute("aria-activedescendant", option.id)
  }
}
