/** Tells when plugins' files change. Only for development: a file that is written to is read while it is. */
import { type FSWatcher, watch } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { findPlugins, folder } from "./PluginLoader.ts"

/** Watches the folders that plugins stand in; gives back how to stop. */
export const watchPlugins = (configured: ReadonlyArray<string>, changed: () => void): (() => void) => {
  const files = findPlugins(configured).filter((module) => module.startsWith("file:"))
  const folders = new Set([fileURLToPath(folder), ...files.map((module) => `${dirname(fileURLToPath(module))}/`)])
  const watchers = [...folders].map((path): FSWatcher => watch(path, { persistent: false }, changed))
  return () => {
    for (const watcher of watchers) watcher.close()
  }
}
