/** A name as a title: `site_group` or `site group` -> `Site group`. */
export const titled = (name: string): string => {
  const words = name.replaceAll(/[_-]/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
