/** A configuration that cannot be used: each problem names the key and says what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(file: string | undefined, problems: readonly string[]) {
    super(`${file ?? 'configuration'}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
