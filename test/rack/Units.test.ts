/** The half units of a rack, for any devices and reservations in it. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Face, type Mounted, freePositions, halfUnits, utilization } from "../../src/rack/Units.ts"
import { runs } from "../support/Seed.ts"

const faces = ["front", "rear"] as const

const otherFace = (face: Face): Face => (face === "front" ? "rear" : "front")

/** A rack with devices that no rule refuses: none shares a half unit of a face with another. */
const filledRack = fc
  .record({
    height: fc.integer({ min: 1, max: 100 }),
    isDescending: fc.boolean(),
    places: fc.array(
      fc.record({
        position: fc.integer({ min: 2, max: 201 }),
        height: fc.integer({ min: 1, max: 12 }),
        face: fc.constantFrom(...faces),
        isFullDepth: fc.boolean()
      }),
      { maxLength: 40 }
    ),
    reserved: fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 5 }), { maxLength: 5 })
  })
  .map(({ places, reserved, ...frame }) => {
    const taken = new Set<string>()
    const devices = places.flatMap((place, at): ReadonlyArray<Mounted> => {
      const halves = Array.from({ length: place.height }, (_, n) => place.position + n)
      const keys = halves.flatMap((each) =>
        faces.filter((face) => place.isFullDepth || face === place.face).map((face) => `${face} ${each}`)
      )
      if (keys.some((key) => taken.has(key)) || halves.at(-1)! > frame.height * 2 + 1) return []
      for (const key of keys) taken.add(key)
      return [{ ...place, id: at + 1, position: place.position / 2, height: place.height / 2 }]
    })
    return { frame, devices, reservations: reserved.map((units, at) => ({ id: at + 1, units })) }
  })

const ofRuns = { numRuns: runs(300) }

describe("the half units of a rack", () => {
  it("are all there, each once, in the order of the rack", () => {
    fc.assert(
      fc.property(filledRack, fc.constantFrom(...faces), ({ frame, devices, reservations }, face) => {
        const positions = halfUnits(frame, devices, reservations, face).map(({ position }) => position)
        const upwards = Array.from({ length: frame.height * 2 }, (_, at) => 1 + at / 2)
        expect(positions).toEqual(frame.isDescending ? upwards : upwards.toReversed())
      }),
      ofRuns
    )
  })

  it("have a device of the face from its position to its height, and one of full depth on both faces", () => {
    fc.assert(
      fc.property(filledRack, fc.constantFrom(...faces), ({ frame, devices }, face) => {
        const units = halfUnits(frame, devices, [], face)
        for (const device of devices) {
          const own = units.filter((unit) => unit.device?.id === device.id).map(({ position }) => position)
          const isHere = device.isFullDepth || device.face === face
          expect(own.sort((a, b) => a - b)).toEqual(
            isHere ? Array.from({ length: device.height * 2 }, (_, at) => device.position + at / 2) : []
          )
        }
        const behind = halfUnits(frame, devices, [], otherFace(face))
        const full = (side: typeof units) => side.map(({ device }) => (device?.isFullDepth === true ? device.id : 0))
        expect(full(units)).toEqual(full(behind))
      }),
      ofRuns
    )
  })

  it("are used where a device of any face or a reservation is", () => {
    fc.assert(
      fc.property(filledRack, ({ frame, devices, reservations }) => {
        const sides = faces.map((face) => halfUnits(frame, devices, reservations, face))
        const used = sides[0]!.filter(
          (unit, at) =>
            unit.device !== undefined || sides[1]![at]!.device !== undefined || unit.reservation !== undefined
        )
        expect(utilization(frame, devices, reservations)).toBeCloseTo((used.length / (frame.height * 2)) * 100)
      }),
      ofRuns
    )
  })

  it("are named by their numbers", () => {
    const names = halfUnits({ height: 2, isDescending: false }, [], [], "front").map(({ name }) => name)
    expect(names).toEqual(["U2.5", "U2", "U1.5", "U1"])
  })
})

describe("the free positions of a device", () => {
  it("are those at which it shares no half unit with another, at its face or, if it is deep, at both", () => {
    const extent = fc.record({ height: fc.integer({ min: 1, max: 8 }), isFullDepth: fc.boolean() })
    fc.assert(
      fc.property(filledRack, extent, fc.constantFrom(...faces), ({ frame, devices }, half, face) => {
        const wanted = { ...half, height: half.height / 2 }
        const free = freePositions(frame, devices, wanted, face)
        const collides = (position: number) =>
          devices.some(
            (other) =>
              (other.face === face || other.isFullDepth || wanted.isFullDepth) &&
              position < other.position + other.height &&
              other.position < position + wanted.height
          )
        const every = Array.from({ length: frame.height * 2 }, (_, at) => 1 + at / 2).filter(
          (position) => position + wanted.height <= frame.height + 1 && !collides(position)
        )
        const isWhole = (position: number) => Number.isInteger(position)
        expect(free.filter(isWhole)).toEqual(every.filter(isWhole))
        expect(free).toEqual(every.filter((position) => free.includes(position)))
        expect(isWhole(wanted.height) || free.length === every.length).toBe(true)
      }),
      ofRuns
    )
  })

  it("are none for a device without a height", () => {
    expect(freePositions({ height: 4, isDescending: false }, [], { height: 0, isFullDepth: true }, "front")).toEqual([])
  })
})
