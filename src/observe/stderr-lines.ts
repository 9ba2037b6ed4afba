// Lines for stderr. Those of a moment are written together: a write is a call of the kernel, which waits for whoever reads the
// pipe. None is lost when the process ends by itself.

export interface Lines {
  add(line: string): void
  /** Now. */
  flush(): void
}

/** What a pipe takes at once: lines of several processes come out of it whole. */
const mostTogether = 4_096
/** Nobody who reads along sees the difference. */
const gatherMs = 10

export function createLines(write: (text: string) => void): Lines {
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = gathered
    gathered = ''
    if (text !== '') write(text)
  }
  return {
    add(line) {
      if (gathered.length + line.length > mostTogether) flush()
      gathered += line
      timer ??= setTimeout(flush, gatherMs).unref()
    },
    flush,
  }
}

let shared: Lines | undefined

export function stderrLines(): Lines {
  if (!shared) {
    shared = createLines((text) => process.stderr.write(text))
    process.once('exit', shared.flush)
  }
  return shared
}
