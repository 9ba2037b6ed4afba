/** They cannot be used as they are configured. */
export class LocalToolsProblem extends Error {
  override readonly name = 'LocalToolsProblem'
}
