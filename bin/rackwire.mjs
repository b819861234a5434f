#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still read it and say what is wrong in one line.
import module from "node:module"

const [major] = process.versions.node.split(".").map(Number)
if (major < 24) {
  console.error(
    `Rackwire needs Node 24 or later, and this is ${process.version}: run it with "npm start" or "npx rackwire".`
  )
  process.exit(1)
}
module.enableCompileCache()
await import("../src/main.ts")
