/** The schema cannot be said in the subset. Thrown inside this folder only. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}
