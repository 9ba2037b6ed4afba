/** The configured local tools cannot be used. */
export class LocalToolsProblem extends Error {
  override readonly name = 'LocalToolsProblem'
}
