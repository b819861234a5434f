/** A disk of its own for the servers of a seed, in memory, which only root may mount. */
import { execFileSync } from "node:child_process"
import { statfsSync } from "node:fs"

const run = (...args: ReadonlyArray<string>): void => void execFileSync(args[0]!, args.slice(1), { stdio: "ignore" })

/** Room for what a world writes, very large transactions included, beside a gigabyte of WAL. */
const size = "4g"

export class Disk {
  private readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Undefined where nothing may be mounted. */
  static mount(folder: string): Disk | undefined {
    try {
      run("mount", "-t", "tmpfs", "-o", `size=${size},mode=700`, "tmpfs", folder)
      return new Disk(folder)
    } catch {
      return undefined
    }
  }

  /** Leaves some KiB of space. */
  fill(): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder)
    const used = Math.ceil(((blocks - bfree) * bsize) / 1024)
    run("mount", "-o", `remount,size=${used + 128}k`, this.folder)
  }

  free(): void {
    run("mount", "-o", `remount,size=${size}`, this.folder)
  }

  unmount(): void {
    run("umount", "-l", this.folder)
  }
}
