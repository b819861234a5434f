// Lists and forms change in place (htmx, and the attributes of frame/InPlace.ts). What htmx leaves open is here.

// A list is searched while its reader types: the answer to fewer letters comes too late.
document.addEventListener("input", ({ target }) => {
  if (target.id === "quick") target.form.dispatchEvent(new Event("htmx:abort"))
})

const tell = (text) => {
  const told = document.querySelector("#main > [data-told]")
  const problem = told ?? Object.assign(document.createElement("p"), { className: "alert-line alert-bad" })
  problem.dataset.told = ""
  problem.setAttribute("role", "alert")
  problem.textContent = text
  document.getElementById("main").prepend(problem)
  problem.scrollIntoView({ block: "center" })
}

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx !== undefined) tell("The service did not answer. What you typed is still here: try again.")
})

document.addEventListener("htmx:before:swap", (event) => {
  const [{ fragment }] = event.detail.tasks
  if (fragment.childElementCount > 0) return
  event.preventDefault()
  tell("The answer is no page of this service. What you typed is still here: try again.")
})

// A form that comes back stands at the same address: going back leads to the page before it.
document.addEventListener("htmx:before:history:update", (event) => {
  if (event.detail.history.path === location.pathname + location.search) event.preventDefault()
})

// The focused element was removed, so keys and screen readers continue at the new content.
document.addEventListener("htmx:after:swap", () => {
  if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true })
})
