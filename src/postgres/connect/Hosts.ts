/** The hosts of an address, of which new connections use the current one. */
import type { Place } from "../PostgresUrl.ts"

export class Hosts {
  private readonly places: ReadonlyArray<Place>
  private at = 0

  constructor(places: ReadonlyArray<Place>) {
    this.places = places
  }

  get count(): number {
    return this.places.length
  }

  get current(): Place {
    return this.places[this.at]!
  }

  /** Makes the next host the current one, unless the failure of another connection has done so. */
  leave(place: Place): void {
    if (this.current === place) this.at = (this.at + 1) % this.places.length
  }
}
