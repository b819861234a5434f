// Forms that a passkey completes: the browser creates one or signs by one, and the form sends its answer.
import { shown } from "./shown.js"

/** Why the browser gave no answer, in words. */
const reasonOf = (error) =>
  error.name === "InvalidStateError"
    ? "This device has a passkey of yours already."
    : error.name === "NotAllowedError"
      ? "The browser ended the request. Try again, and confirm it."
      : `The browser refused: ${error.message}`

shown("form[data-passkey]", (form) => {
  const button = form.querySelector("button")
  const answer = form.elements.namedItem("answer")
  if (window.PublicKeyCredential?.parseCreationOptionsFromJSON === undefined) return
  button.disabled = false
  const options = JSON.parse(form.dataset.options)
  const request = () =>
    form.dataset.passkey === "create"
      ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  form.addEventListener("submit", async (event) => {
    if (answer.value !== "") return
    event.preventDefault()
    button.disabled = true
    try {
      answer.value = JSON.stringify((await request()).toJSON())
      form.submit()
    } catch (error) {
      form.querySelector("[role=alert]").textContent = reasonOf(error)
      button.disabled = false
    }
  })
})
