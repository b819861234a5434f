/** The map of a space: a grid of its pieces, what is free of it, and a table with the same links for the keyboard. Pure. */
import {
  type Block,
  type Piece,
  blockAt,
  cellOf,
  cellsOf,
  largestFree,
  mapOf
} from "../../inventory/derive/values/SpaceMap.ts"
import type { Occupation, Owner } from "../../inventory/read/Spaces.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { shortened } from "../list/Cell.ts"
import { nameOf, pathOf } from "../value/Title.ts"

/** How the blocks of a space are named, and where they lead. */
export interface SpaceWords {
  /** `10.3.0.0/16`. */
  readonly name: (block: Block) => string
  /** How a piece of the map is labelled: a narrow one with `3`. */
  readonly label: (block: Block, isNarrow: boolean) => string
  /** How many numbers: `65,536 addresses`. */
  readonly amount: (block: Block) => string
  /** The form of a new object in the block; undefined for readers who may not add one. */
  readonly add: (block: Block) => string | undefined
  /** The map of the block. */
  readonly zoom: (block: Block) => string
}

/** Columns of the grid. */
const columns = 16

/** Least columns of a piece that shows its whole name. */
const namedWidth = 4

/** Largest free blocks that are listed. */
const listedMax = 6

/** Most characters of a label that one column shows in letters of the usual size. */
const shortLabel = 3

interface MappedPart {
  /** The whole space, and the part of it that is shown. */
  readonly whole: Block
  readonly frame: Block
  readonly found: Occupation
  readonly words: SpaceWords
}

export const spaceGrid = ({ whole, frame, found, words }: MappedPart): Html => {
  const count = cellsOf(frame).length
  const isWhole = frame.size === whole.size
  // Each cell of single numbers is a place of its own. The whole space is no free block of itself.
  const pieces = mapOf(frame, found.taken, found.parts, cellOf(frame) === 0 ? 1 : Math.max(1, count / 4))
  const merged = mapOf(frame, found.taken, found.parts, isWhole ? Math.max(1, count / 2) : count)
  const scale = columns / Math.min(count, columns)
  const cells = pieces.map((piece) => {
    const width = Math.min(piece.cells * scale, columns)
    return cell(piece, blockAt(frame, piece), [width, Math.max(1, (piece.cells * scale) / columns)], words)
  })
  return html`${path(whole, frame, words)}
    <div class="space" role="group" aria-label="Map of ${words.name(frame)}">${cells}</div>
    ${legend}${freeList(frame, merged, words)}
    <details class="empties">
      <summary>All pieces as a table</summary>
      <div class="table-responsive">
        <table class="table dense">
          <caption class="visually-hidden">
            Pieces of ${words.name(frame)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Block</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            ${pieces.map((piece) => {
              const block = blockAt(frame, piece)
              const [state, href] = stateOf(piece, block, words)
              return html`<tr>
                <th scope="row" class="mono">${words.name(block)}</th>
                <td>${href === undefined ? state : html`<a href="${href}">${state}</a>`}</td>
              </tr>`
            })}
          </tbody>
        </table>
      </div>
    </details>`
}

/** The state of a piece in words, and where it leads. */
const stateOf = (piece: Piece<Owner>, block: Block, words: SpaceWords): readonly [state: string, href?: string] => {
  if (piece.kind === "part") return ["Used in part", words.zoom(block)]
  if (piece.kind === "taken") {
    const { type, id, text } = piece.owner
    if (type !== undefined) return [`${nameOf(type)} ${shortened(text)}`, pathOf(type, id)]
    return [text === "" ? "Used" : text]
  }
  const add = words.add(block)
  return add === undefined ? ["Free"] : ["Free: add", add]
}

const cell = (
  piece: Piece<Owner>,
  block: Block,
  [width, height]: readonly [width: number, height: number],
  words: SpaceWords
): Html => {
  const [state, href] = stateOf(piece, block, words)
  const isOwn = piece.kind === "taken" && piece.owner.type !== undefined
  const kind = piece.kind === "taken" && !isOwn ? "shut" : piece.kind
  const label = words.label(block, width < namedWidth)
  const isTiny = width === 1 && label.length > shortLabel
  const classes = `${kind} w${width} h${height}${isTiny ? " tiny" : ""}`
  const text = html`<span>${isOwn && width >= namedWidth ? shortened(piece.owner.text, 40) : label}</span>`
  const title = `${words.name(block)}: ${state}`
  // For pointers: the table below has the same links.
  return href === undefined
    ? html`<span class="${classes}" title="${title}">${text}</span>`
    : html`<a class="${classes}" href="${href}" tabindex="-1" title="${title}">${text}</a>`
}

/** The way from the whole space to the part that is shown. */
const path = (whole: Block, frame: Block, words: SpaceWords): Html => {
  if (frame.size === whole.size) return html``
  const steps: Array<Block> = []
  for (let block = whole; block.size > frame.size;) {
    steps.push(block)
    const size = Math.max(cellOf(block), frame.size)
    block = { first: (frame.first >> BigInt(size)) << BigInt(size), size }
  }
  return html`<p class="note zoomed" id="zoomed">
    ${steps.map((each) => html`<a class="mono" href="${words.zoom(each)}">${words.name(each)}</a> › `)}<b class="mono"
      >${words.name(frame)}</b
    >
  </p>`
}

const legend = html`<ul class="legend" aria-label="Legend">
  <li><i class="free"></i>Free</li>
  <li><i class="part"></i>Used in part</li>
  <li><i class="taken"></i>Used</li>
  <li><i class="shut"></i>Not available</li>
</ul>`

const freeList = (frame: Block, pieces: ReadonlyArray<Piece<Owner>>, words: SpaceWords): Html => {
  const largest = largestFree(pieces, listedMax)
  if (largest.length === 0) return html`<p class="note sub">No block is free at this scale. Open a part of the map.</p>`
  return html`<h3 class="group">Largest free blocks</h3>
    <ul class="rel free-blocks">
      ${largest.map((piece) => {
        const block = blockAt(frame, piece)
        const add = words.add(block)
        const text = html`<span class="mono">${words.name(block)}</span><span class="grow"></span
          ><span class="sub">${words.amount(block)}</span>`
        return html`<li>
          ${add === undefined ? html`<span class="plain">${text}</span>` : html`<a href="${add}">${icon("plus")}${text}</a>`}
        </li>`
      })}
    </ul>`
}
