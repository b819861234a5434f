/** Peers are packages in a folder of their own; the first benchmark that needs them installs them. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const folder = new URL("./peers/", import.meta.url)

export const installPeers = (): void => {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const isThere = (name: string) => existsSync(new URL(`node_modules/${name}/package.json`, folder))
  if (Object.keys(dependencies).every(isThere)) return
  // Without a lock file: one of them lists platform packages that cannot be resolved, which `npm ci` refuses.
  const args = ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
  execFileSync("npm", args, { cwd: folder, stdio: "inherit" })
}
