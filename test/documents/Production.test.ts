/** docs/production.md: each configuration has what its text says a proxy has to do. */
import { expect, it } from "vitest"
import { documentAt } from "./Steps.ts"

const document = documentAt("docs/production.md")

const blockOf = (language: string): string => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(document)![1]!

it("names the headers, the size of bodies and the time of imports where a proxy has other ones by itself", () => {
  const [nginx, haproxy, caddy] = ["nginx", "haproxy", "caddy"].map(blockOf) as [string, string, string]
  for (const block of [nginx, haproxy]) {
    for (const header of ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"]) expect(block).toContain(header)
    expect(block).toContain("20m")
  }
  expect(nginx).toContain("client_max_body_size 17m")
  expect(caddy).toContain("max_size 17MB")
  expect(haproxy).toContain("tune.bufsize 32768")
  expect(document).not.toMatch(/X-Forwarded-For .*(?:proxy_add_x_forwarded_for|forwardfor)/)
})

it("says of each proxy whether a test runs its lines", () => {
  const rows = [...document.matchAll(/^\| (\w+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(([, name, , checked]) => [
    name,
    checked
  ])
  const said = Object.fromEntries(rows.filter(([, checked]) => /test|not run/.test(checked!)))
  expect(said).toEqual({
    ...{ nginx: "by a test", HAProxy: "by a test", Caddy: "by a test" },
    Traefik: expect.stringMatching(/^not run: /)
  })
})
