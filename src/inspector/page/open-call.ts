// A call whose arguments are handed on whole is known by its name first, and by nothing else until they are complete: meanwhile
// it is not true that nothing comes.

import type { Stretch } from '../../tapes/stretch.ts'

/** Begun, and not a letter of its arguments was handed on. */
export const isOpenCall = ({ kind, characters }: Stretch) => kind === 'tool-call' && characters === 0

/** Milliseconds since the tape began; of an open call, as long as it was waited for. */
export const endOf = (stretch: Stretch, end: number) => (isOpenCall(stretch) ? end : stretch.to)

export const openCall = (isRunning: boolean) =>
  isRunning ? 'its arguments are not complete yet' : 'its arguments were never complete'
