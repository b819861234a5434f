/** Watches the files of plugins. Only for development: a file may be read while it is being written. */
import { type FSWatcher, watch } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { findPlugins, folder } from "./PluginLoader.ts"

/** Watches the folders of the plugins; returns a function that stops watching. */
export const watchPlugins = (configured: ReadonlyArray<string>, changed: () => void): (() => void) => {
  const files = findPlugins(configured).filter((module) => module.startsWith("file:"))
  const folders = new Set([fileURLToPath(folder), ...files.map((module) => `${dirname(fileURLToPath(module))}/`)])
  const watchers = [...folders].map((path): FSWatcher => watch(path, { persistent: false }, changed))
  return () => {
    for (const watcher of watchers) watcher.close()
  }
}
