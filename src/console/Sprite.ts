/** The icons that pages show, of Tabler, in one file that every page shares. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const names = [
  "activity",
  "address-book",
  "adjustments",
  "arrows-exchange",
  "bolt",
  "bookmark",
  "building",
  "check",
  "chevron-down",
  "chevron-left",
  "chevron-right",
  "chevron-up",
  "code",
  "columns-3",
  "contrast",
  "copy",
  "cursor-text",
  "device-desktop",
  "devices",
  "download",
  "eye",
  "filter",
  "folder",
  "history",
  "key",
  "keyboard",
  "lock",
  "logout",
  "menu-2",
  "moon",
  "network",
  "notebook",
  "pencil",
  "plug-connected",
  "plus",
  "restore",
  "search",
  "send",
  "server",
  "settings",
  "shield",
  "stack-3",
  "sun",
  "trash",
  "upload",
  "user",
  "user-circle",
  "users",
  "x"
] as const

export type IconName = (typeof names)[number]

const symbol = (name: string): string => {
  const file = fileURLToPath(import.meta.resolve(`@tabler/icons/outline/${name}.svg`))
  const inner = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(file, "utf8"))![1]!
  return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${inner.replaceAll(/\n\s*/g, "")}</symbol>`
}

export const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${names.map(symbol).join("")}</svg>`
