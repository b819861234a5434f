/** Placeholder text for the global `lipsum`. */
import { valueFault } from "./Fault.ts"
import type { Runtime } from "../value/Value.ts"

const vocabulary =
  `a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class
  commodo condimentum congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus dapibus
  diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et
  etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse
  hac hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo
  libero ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris metus mi molestie
  mollis montes morbi mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra nulla nullam nunc odio
  orci ornare parturient pede pellentesque penatibus per pharetra phasellus placerat platea porta porttitor posuere
  potenti praesent pretium primis proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien
  scelerisque sed sem semper senectus sit sociis sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempor
  tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices ultricies urna ut varius vehicula vel velit
  venenatis vestibulum vitae vivamus viverra volutpat vulputate`.split(/\s+/)

/** `count` paragraphs of at least `min` and less than `max` words. */
export const loremIpsum = (runtime: Runtime, count: number, min: number, max: number): Array<string> => {
  if (count > 0 && max <= min) throw valueFault(`empty range for randrange() (${min}, ${max}, ${max - min})`)
  const paragraphs: Array<string> = []
  for (let i = 0; i < count; i++) {
    runtime.tick(1)
    paragraphs.push(paragraph(runtime, between(runtime, min, max)))
  }
  return paragraphs
}

const between = (runtime: Runtime, min: number, max: number): number => min + Math.floor(runtime.random() * (max - min))

const paragraph = (runtime: Runtime, length: number): string => {
  const words: Array<string> = []
  let capital = true
  let comma = 0
  let stop = 0
  let last = ""
  for (let index = 0; index < length; index++) {
    const picked = pick(runtime, last)
    last = picked
    let word = capital ? picked[0]!.toUpperCase() + picked.slice(1) : picked
    capital = false
    if (index - between(runtime, 3, 8) > comma) {
      comma = index
      stop += 2
      word += ","
    }
    if (index - between(runtime, 10, 20) > stop) {
      comma = stop = index
      word += "."
      capital = true
    }
    runtime.alloc(word.length + 1)
    words.push(word)
  }
  const joined = words.join(" ")
  if (joined.endsWith(",")) return `${joined.slice(0, -1)}.`
  return joined.endsWith(".") ? joined : `${joined}.`
}

/** A random word that differs from the previous one. */
const pick = (runtime: Runtime, last: string): string => {
  for (;;) {
    runtime.tick(1)
    const word = vocabulary[between(runtime, 0, vocabulary.length)]!
    if (word !== last) return word
  }
}
