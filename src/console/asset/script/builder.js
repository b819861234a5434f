// Builds a condition of a webhook, or the constraints of a permission, with rows of field, operator and value beside
// their JSON. Both are in sync, in both directions. The fields and operators are words of the page (console/builder).
import { compact, documentOf, groupDocument, groupsOf, parsed, treeOf, unbuildable } from "./builder-document.js"
import { editorOf } from "./builder-value.js"
import { addressOf, icon, make, shown } from "./shown.js"

/** Milliseconds without a key before the JSON is read. */
const pauseMillis = 300

class Builder {
  constructor(root) {
    this.root = root
    this.text = document.getElementById(root.dataset.builder)
    this.words = JSON.parse(root.querySelector("script").textContent)
    this.area = root.appendChild(make("div", { className: "b-area" }))
    this.told = root.appendChild(make("p", { className: "sub" }, { role: "status" }))
  }

  start() {
    this.root.hidden = false
    this.read()
    this.text.addEventListener("input", () => {
      if (this.isWriting) return
      this.isStale = true
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.read(), pauseMillis)
    })
    for (const event of ["input", "change"]) this.area.addEventListener(event, () => this.write())
    // Pickers take what was typed as one leaves them; leaving a row overwrites no JSON that is being typed.
    this.area.addEventListener("focusout", () => this.isStale || this.write())
    const { typesFrom, sourceFrom = typesFrom } = this.root.dataset
    const { form } = this.text
    form.addEventListener("input", ({ target: { name } }) => (name === typesFrom || name === sourceFrom) && this.load())
  }

  /** The words of the object types that are chosen now. An answer for an earlier choice is not taken. */
  async load() {
    const { typesFrom, sourceFrom, words } = this.root.dataset
    const data = new FormData(this.text.form)
    const query = new URLSearchParams({ types: data.getAll(typesFrom).join(",") })
    if (sourceFrom !== undefined) query.set("source", data.get(sourceFrom) ?? "")
    const request = (this.request = fetch(`${addressOf(words)}?${query}`))
    const response = await request
    if (!response.ok) return
    const answer = await response.json()
    if (this.request !== request) return
    this.words = answer
    this.read()
  }

  /** Draws what the JSON says. JSON that is broken leaves the rows as they are. */
  async read() {
    const text = this.text.value.trim()
    const found = text === "" ? { value: null } : parsed(text)
    if (found === undefined) {
      const fault = await this.faultOf(text)
      if (this.text.value.trim() === text) this.tell(fault)
      return
    }
    const { value } = found
    try {
      const isNone = value === null || JSON.stringify(value) === "{}"
      if (!isNone && compact(text) !== JSON.stringify(value)) unbuildable("another spelling")
      const isTree = this.words.shape === "tree"
      const node = isNone ? undefined : isTree ? treeOf(value, this.words) : groupsOf(value, this.words)
      const logic = isTree ? "and" : "or"
      this.draw(node === undefined ? { logic, items: [] } : node.logic ? node : { logic, items: [node], isBare: true })
      this.tell(this.words.fields.length === 0 ? "Choose object types to see their fields." : "")
    } catch {
      this.area.hidden = true
      this.tell("This JSON says more than the builder can show. It stays as it is; change it as JSON.")
    }
  }

  async faultOf(text) {
    const { value: token } = this.text.form.elements.namedItem("csrfmiddlewaretoken")
    const body = new URLSearchParams({ text, csrfmiddlewaretoken: token })
    const response = await fetch(addressOf(this.root.dataset.words), { method: "POST", body })
    return response.ok ? (await response.json()).fault : "This is not valid JSON."
  }

  tell(text) {
    this.told.textContent = text
  }

  /** Writes the JSON of the rows, if they say something else than it does. */
  write() {
    if (this.area.hidden || this.rootGroup === undefined) return
    const { usual, shape } = this.words
    const node = this.rootGroup.node()
    try {
      const [first, ...others] = node.items
      const isBare = others.length === 0 && (shape === "groups" || (this.isBare && first?.logic === undefined))
      const document =
        shape === "tree"
          ? documentOf(isBare ? first : node, usual)
          : isBare
            ? groupDocument(first, usual)
            : node.items.map((each) => groupDocument(each, usual))
      const text = first === undefined ? "" : JSON.stringify(document, null, 2)
      this.tell("")
      clearTimeout(this.timer)
      this.isStale = false
      if (text === this.text.value || compact(text) === compact(this.text.value.trim())) return
      this.text.value = text
      this.isWriting = true
      this.text.dispatchEvent(new Event("input", { bubbles: true }))
      this.isWriting = false
    } catch ({ message }) {
      this.tell(message)
    }
  }

  draw(node) {
    this.isStale = false
    this.isBare = node.isBare === true || node.items.length === 0
    this.rootGroup = this.group(node, true)
    this.area.replaceChildren(this.rootGroup)
    this.area.hidden = false
    document.dispatchEvent(new Event("live:put"))
  }

  button(title, name, act) {
    const button = make("button", { type: "button", className: "btn btn-sm" })
    button.append(icon(name), title)
    button.addEventListener("click", act)
    return button
  }

  /** A button that removes an element, and leaves the focus beside it. */
  remover(element, title) {
    const button = this.button(make("span", { className: "visually-hidden", textContent: title }), "x", () => {
      const next = element.parentElement.closest(".b-group").querySelector(":scope > .b-end button")
      element.remove()
      next.focus()
      this.write()
    })
    return button
  }

  group({ logic, items }, isRoot = false) {
    const isTree = this.words.shape === "tree"
    const element = make("div", { className: "b-group" }, { role: "group", "aria-label": isRoot ? "Builder" : "Group" })
    const choice = make("select", { className: "field-in" }, { "aria-label": "How many of these must apply" })
    choice.append(new Option("All of these", "and"), new Option("Any of these", "or"))
    choice.value = logic
    const head = element.appendChild(make("div", { className: "b-head" }))
    head.append(isTree ? choice : make("span", { textContent: isRoot ? "Any of these groups" : "All of these" }))
    const list = element.appendChild(make("div", { className: "b-items" }))
    list.append(...items.map((each) => (each.logic === undefined ? this.row(each) : this.group(each))))
    const add = (made) => {
      list.append(made)
      document.dispatchEvent(new Event("live:put"))
      made.querySelector("select").focus()
      this.write()
    }
    const [first] = this.words.fields
    const empty = () => this.row({ name: first?.name ?? "", op: this.words.usual })
    const end = element.appendChild(make("div", { className: "b-end" }))
    if (isTree || !isRoot) end.append(this.button("Add condition", "plus", () => add(empty())))
    if (isTree || isRoot) {
      end.append(
        this.button("Add group", "plus", () => {
          const group = this.group({ logic: isTree && choice.value === "and" ? "or" : "and", items: [] })
          group.querySelector(".b-items").append(empty())
          add(group)
        })
      )
    }
    if (!isRoot) end.append(this.remover(element, "Remove the group"))
    element.node = () => ({
      logic: isTree ? choice.value : logic,
      items: [...list.children].map((each) => each.node()).filter((each) => each.items?.length !== 0)
    })
    return element
  }

  row({ name, op, value, not = false }) {
    const { fields, operators, shape } = this.words
    const element = make("div", { className: "b-row" }, { role: "group", "aria-label": "Condition" })
    const takesNone = (each) => operators.find((operator) => operator.name === each)?.accepts.length === 0
    const named = fields.find((each) => each.name === name || (takesNone(op) && each.state === name))
    const field = make("select", { className: "field-in" }, { "aria-label": "Field" })
    field.append(...fields.map(({ name: each, title }) => new Option(title, each)))
    if (named === undefined && name !== "") field.append(new Option(name, name))
    field.append(new Option("Another path…", ""))
    const path = make("input", { className: "field-in", value: name }, { "aria-label": "Path" })
    field.value = named?.name ?? name
    path.hidden = field.value !== ""
    const operator = make("select", { className: "field-in" }, { "aria-label": "Operator" })
    const negated = make("input", { type: "checkbox", className: "form-check-input", checked: not })
    const negation = make("label", { className: "box" })
    negation.append(negated, "Not")
    const slot = make("span", { className: "b-value" })
    let editor
    const chosen = () => fields.find((each) => each.name === field.value)
    const showOperators = (wanted) => {
      const known = chosen()?.operators
      const shownOnes = operators.filter(
        (each) => known === undefined || known.includes(each.name) || each.name === wanted
      )
      operator.replaceChildren(...shownOnes.map((each) => new Option(each.title, each.name)))
      operator.value = shownOnes.some((each) => each.name === wanted) ? wanted : shownOnes[0].name
    }
    const showValue = (now) => {
      const { accepts } = operators.find((each) => each.name === operator.value)
      editor = editorOf(chosen() ?? { kind: "any" }, accepts, now)
      slot.replaceChildren(...editor.elements)
      document.dispatchEvent(new Event("live:put"))
    }
    field.addEventListener("change", () => {
      path.hidden = field.value !== ""
      if (field.value === "") path.focus()
      showOperators(operator.value)
      showValue(undefined)
    })
    operator.addEventListener("change", () => showValue(editor.value()))
    showOperators(op)
    showValue(value)
    element.append(field, path, ...(shape === "tree" ? [negation] : []), operator, slot)
    element.append(this.remover(element, "Remove the condition"))
    element.node = () => {
      const known = chosen()
      const own = known === undefined ? field.value || path.value.trim() : known.name
      return {
        name: takesNone(operator.value) ? (known?.state ?? own) : own,
        op: operator.value,
        value: takesNone(operator.value) ? undefined : editor.value(),
        not: negated.checked
      }
    }
    return element
  }
}

shown("[data-builder]", (root) => new Builder(root).start())
