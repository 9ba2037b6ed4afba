// Quoting for POSIX shells.

/** Undefined for a text with NUL, which no shell word can contain. */
export function quote(text: string): string | undefined {
  return text.includes('\0') ? undefined : `'${text.replaceAll("'", "'\\''")}'`
}

/** A path that cannot be taken for an option or for standard input. A leading `~` is the home directory. */
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
 * The command in another directory. If `cd` fails, nothing runs. A simple command gets no braces, because clients show it to
 * the user and match it against rules. `stay`: the shell stays in the directory.
 */
export function inDirectory(command: string, directory: string, stay: boolean): string | undefined {
  const path = quotePath(directory)
  if (path === undefined) return undefined
  const bound = /[;&|\n#]/.test(command) ? `{\n${command}\n}` : command
  return stay ? `cd -- ${path} && ${bound}` : `(cd -- ${path} && ${bound})`
}
