// The button that switches between light and dark, for this browser.
import { addressOf, shown } from "./shown.js"

const root = document.documentElement

shown("[data-theme-toggle]", (button) =>
  button.addEventListener("click", () => {
    const theme = root.dataset.scheme === "dark" ? "light" : "dark"
    root.dataset.scheme = theme
    root.dataset.theme = theme
    document.cookie = `theme=${theme}; path=${addressOf("/")}; max-age=31536000; samesite=lax`
  })
)
