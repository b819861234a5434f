/** The icons that pages show, of Tabler, in one file that every page shares. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const names = [
  "activity",
  "address-book",
  "adjustments",
  "alert-triangle",
  "antenna",
  "arrows-exchange",
  "ban",
  "bolt",
  "bookmark",
  "building",
  "check",
  "chevron-down",
  "chevron-left",
  "chevron-right",
  "chevron-up",
  "clock",
  "code",
  "columns-3",
  "contrast",
  "copy",
  "cursor-text",
  "database",
  "device-desktop",
  "devices",
  "dots",
  "download",
  "external-link",
  "eye",
  "eye-off",
  "file-code",
  "filter",
  "folder",
  "history",
  "key",
  "keyboard",
  "lock",
  "logout",
  "menu-2",
  "minus",
  "moon",
  "network",
  "notebook",
  "pencil",
  "player-pause",
  "player-play",
  "plug-connected",
  "plus",
  "refresh",
  "restore",
  "route",
  "search",
  "send",
  "server",
  "settings",
  "shield",
  "stack-2",
  "stack-3",
  "sun",
  "terminal-2",
  "trash",
  "upload",
  "user",
  "user-circle",
  "users",
  "wifi",
  "x"
] as const

export type IconName = (typeof names)[number]

const symbol = (name: string): string => {
  const file = fileURLToPath(import.meta.resolve(`@tabler/icons/outline/${name}.svg`))
  const inner = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(file, "utf8"))![1]!
  return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${inner.replaceAll(/\n\s*/g, "")}</symbol>`
}

export const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${names.map(symbol).join("")}</svg>`
