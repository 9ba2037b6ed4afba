// When the piece that is being dealt with came. To ask for the time is a good part of what there is to do for a piece: it is done once,
// for all who want to know.

let came = 0

/** It is now. */
export function pieceCame(): number {
  came = performance.now()
  return came
}

export const whenPieceCame = (): number => came
