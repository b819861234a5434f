/** Bounds caches: a map iterates in the order in which its keys were set. */

/** Deletes the oldest keys of the map until at most `max` are left. */
export const keepNewest = (map: Map<unknown, unknown>, max: number): void => {
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}
