/** Numbers with their unit, as people read them. Pure. */

/** Larger units of rates, from the one that is stored. */
const rates = ["kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"]

/** `1000000` in kbit/s -> `1 Gbit/s`; `12.5` in kg -> `12.5 kg`. */
export const withUnit = (value: number, unit: string): string => {
  if (unit !== rates[0]) return `${value.toLocaleString("en")}${unit === "" ? "" : ` ${unit}`}`
  let [scaled, at] = [value, 0]
  while (scaled >= 1000 && at < rates.length - 1) [scaled, at] = [scaled / 1000, at + 1]
  return `${scaled.toLocaleString("en")} ${rates[at]}`
}
