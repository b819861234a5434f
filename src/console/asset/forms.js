// Helps with forms of one object. Without this script they work alike.

/** Largest form that the service takes, bytes. */
const formBytesMax = 256 * 1024
const tooLarge = "The form is too large to be sent. Shorten the longest text, or write it with the API."

for (const form of document.querySelectorAll("[data-form]")) {
  const problem = Object.assign(document.createElement("p"), { className: "field-error", role: "alert" })
  form.querySelector(".form-end").append(problem)
  form.addEventListener("submit", (event) => {
    const isTooLarge = new URLSearchParams(new FormData(form)).toString().length > formBytesMax
    if (isTooLarge) event.preventDefault()
    problem.textContent = isTooLarge ? tooLarge : ""
  })
  // A value that is changed in a conflict is the one to save.
  form.addEventListener("input", ({ target }) => {
    if (target.type === "radio") return
    const mine = target.closest(".form-row")?.querySelector(".conflict [value=mine]")
    if (mine) mine.checked = true
  })
}
