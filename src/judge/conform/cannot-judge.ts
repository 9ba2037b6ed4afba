/** Nothing could be judged, and what to do about it. */
export class CannotJudge extends Error {
  override readonly name = 'CannotJudge'
}
