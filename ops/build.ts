/**
 * Makes `dist/`, the part of the npm package that is compiled: the JavaScript of `src/` and `plugins/`, their other
 * files as they are, and the types of `rackwire/plugin`. A clone runs its TypeScript and does not need it.
 */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")

const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
const compile = (config: string) =>
  execFileSync(process.execPath, [compiler, "-p", join(root, config)], { cwd: root, stdio: "inherit" })

rmSync(dist, { recursive: true, force: true })
compile("tsconfig.build.json")
cpSync(join(root, "src"), join(dist, "src"), { recursive: true, filter: (file) => !/\.(ts|md)$/.test(file) })

// Authors of plugins see the contract, and what its types are made of; nothing else has types.
compile("tsconfig.types.json")
const seen = new Set<string>()
const copyTypes = (path: string): void => {
  if (seen.has(path)) return
  seen.add(path)
  const text = readFileSync(join(dist, "types", path), "utf8")
  writeFileSync(join(dist, path), text.replaceAll('.ts"', '.js"'))
  for (const [, module] of text.matchAll(/"(\.[^"]+)\.ts"/g)) copyTypes(join(dirname(path), `${module}.d.ts`))
}
copyTypes("src/template/plugin/Plugin.d.ts")
rmSync(join(dist, "types"), { recursive: true })

// The fields of package.json that the modules read, and the place of `#plugin` in this tree.
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string
  readonly version: string
}
const manifest = { name, version, type: "module", imports: { "#plugin": "./src/template/plugin/Plugin.js" } }
writeFileSync(join(dist, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
