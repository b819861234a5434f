/**
 * Renders templates with the package, which compiles them to JavaScript: one JSON request a line in, one JSON answer a
 * line out. The parent bounds the time, and gives this process no environment and no rights but to read the packages.
 */
import { createInterface } from "node:readline"
import nunjucks from "nunjucks"

const answer = ({ template, context }) => {
  try {
    const output = new nunjucks.Environment([], { autoescape: false }).renderString(template, JSON.parse(context))
    return { output: output.slice(0, 1 << 21) }
  } catch (error) {
    return { error: error.name, message: String(error.message).slice(0, 300) }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`)
}
