// Buttons that copy the text of an input, or of another element.
import { shown } from "./shown.js"

shown("[data-copy]", (button) => {
  button.hidden = false
  button.addEventListener("click", async () => {
    const input = document.getElementById(button.dataset.copy)
    if (input.select === undefined) getSelection().selectAllChildren(input)
    else input.select()
    // Without TLS a browser has no clipboard of its own.
    if (navigator.clipboard === undefined) document.execCommand("copy")
    else await navigator.clipboard.writeText(input.value ?? input.textContent)
    button.lastChild.textContent = "Copied"
  })
})
