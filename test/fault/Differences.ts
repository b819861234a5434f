/** Differences that an oracle found: the first few, and their number. */

/** Most differences that are printed. */
const toldMax = 20

export class Differences {
  count = 0
  private readonly told: Array<string> = []

  add(what: string): void {
    this.count += 1
    if (this.told.length < toldMax) this.told.push(what)
  }

  text(): string {
    const more = this.count - this.told.length
    return [...this.told, ...(more > 0 ? [`and ${more} more`] : [])].join("\n")
  }
}
