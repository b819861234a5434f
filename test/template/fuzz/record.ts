/**
 * Writes into `jinja-details.json` what Debian's Jinja2 makes of its templates: to add one, write a row with its
 * `template` alone, and run `node test/template/fuzz/record.ts`. Where an error of ours has the reason of Python's and
 * other words, the row has these as `ours`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { render } from "../render.ts"
import { baseContext } from "../vectors.ts"
import { Oracle } from "./Oracle.ts"

const path = new URL("../jinja-details.json", import.meta.url)
const file = JSON.parse(readFileSync(path, "utf8")) as { readonly rows: ReadonlyArray<{ readonly template: string }> }

const oracle = new Oracle("/usr/bin/python3", fileURLToPath(new URL("oracle.py", import.meta.url)))
const rows: Array<object> = []
for (const { template } of file.rows) {
  const { output, error, message } = await oracle.answer({ template, context: baseContext })
  const ours = render(template, baseContext).fault?.message
  const row = { template, context: "BASE" }
  if (output !== undefined) rows.push({ ...row, expected: output })
  else rows.push({ ...row, error, message, ...(ours === undefined || ours === message ? {} : { ours }) })
}
oracle.stop()
writeFileSync(path, `${JSON.stringify({ ...file, rows }, null, 2)}\n`)
