#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still read it and say what is wrong in one line.
import { existsSync } from "node:fs"
import module from "node:module"
import v8 from "node:v8"

const [major] = process.versions.node.split(".").map(Number)
if (major < 24) {
  console.error(
    `Rackwire needs Node 24 or later, and this is ${process.version}: run it with "npm start" or "npx rackwire", for which its optional packages have a Node 24 on Linux.`
  )
  process.exit(1)
}
// A large transaction makes garbage fast. By default the heap may grow to four times what lives in it, here to half as much again.
v8.setFlagsFromString("--heap-growing-percent=50")
// V8 would allocate what often outlives a collection among old objects at once. Once dead it keeps all that it refers to
// until the next full collection: 12 of every 50 MB were kept and copied for nothing, a tenth of a delivery's CPU.
v8.setFlagsFromString("--no-allocation-site-pretenuring")
// libuv's pool, before its first use. A lookup of a receiver's name takes a thread until the resolver answers, and libuv
// gives lookups half of them: of its usual four, two silent names would take all. 64 threads cost half a megabyte.
process.env.UV_THREADPOOL_SIZE ??= "64"
const { directory } = module.enableCompileCache()
// Worker threads read it from here: otherwise each compiles its modules again.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
// The package has no TypeScript: Node strips types outside of node_modules only.
await import(existsSync(new URL("../src/main.ts", import.meta.url)) ? "../src/main.ts" : "../dist/src/main.js")
