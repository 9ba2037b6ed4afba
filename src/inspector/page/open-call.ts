// A call whose arguments are handed on whole is known by its name first, and by nothing else until they are complete: meanwhile
// it is not true that nothing comes.

import type { TimelineSegment } from '../../tapes/timeline-segment.ts'

/** Begun, and not a letter of its arguments was handed on. */
export const isOpenCall = ({ kind, characters }: TimelineSegment) => kind === 'tool-call' && characters === 0

/** Milliseconds since the tape began; of an open call, as long as it was waited for. */
export const endOf = (segment: TimelineSegment, end: number) => (isOpenCall(segment) ? end : segment.to)

export const openCall = (isRunning: boolean) =>
  isRunning ? 'its arguments are not complete yet' : 'its arguments were never complete'
