// Words of a POSIX shell command.

/** Undefined for what no shell word can hold. */
export function quote(text: string): string | undefined {
  return text.includes('\0') ? undefined : `'${text.replaceAll("'", "'\\''")}'`
}

/** A path as an operand that can never be taken for an option, or for standard input. `~` is the home, as in paths. */
export function quotePath(path: string): string | undefined {
  if (path === '') return undefined
  if (path === '~') return path
  if (path.startsWith('~/')) {
    const rest = quote(path.slice(2))
    return rest === undefined ? undefined : `~/${rest}`
  }
  return quote(path.startsWith('-') ? `./${path}` : path)
}

/**
 * `command` as it is, in another directory: a failing `cd` runs nothing. Only what one `&&` surely binds is left without
 * braces, since clients show the command to the user and match it against rules. `stay` leaves the shell there.
 */
export function inDirectory(command: string, directory: string, stay: boolean): string | undefined {
  const path = quotePath(directory)
  if (path === undefined) return undefined
  const bound = /[;&|\n#]/.test(command) ? `{\n${command}\n}` : command
  return stay ? `cd -- ${path} && ${bound}` : `(cd -- ${path} && ${bound})`
}
