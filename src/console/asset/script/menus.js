// A menu closes when the focus or a click leaves it, and with Escape.
const openMenus = () => document.querySelectorAll("details.menu[open]")

for (const event of ["click", "focusin"]) {
  document.addEventListener(event, ({ target }) => {
    for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false
  })
}

document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return
  for (const menu of openMenus()) {
    menu.open = false
    menu.querySelector("summary").focus()
  }
})
