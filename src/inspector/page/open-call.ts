// Calls whose arguments are sent whole: until the arguments are complete, only the name is known. This time is not silence.

import type { TimelineSegment } from '../../tapes/timeline-segment.ts'

/** The call has begun, and no arguments have arrived. */
export const isOpenCall = ({ kind, characters }: TimelineSegment) => kind === 'tool-call' && characters === 0

/** Milliseconds since the tape began; an open call extends to `end`. */
export const endOf = (segment: TimelineSegment, end: number) => (isOpenCall(segment) ? end : segment.to)

export const openCall = (isRunning: boolean) =>
  isRunning ? 'its arguments are not complete yet' : 'its arguments were never complete'
