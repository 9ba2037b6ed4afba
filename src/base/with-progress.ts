// Work that reports text while it runs: yields the text as it comes, then returns the result.

export async function* withProgress<Result>(
  work: (report: (text: string) => void) => Promise<Result>,
): AsyncGenerator<string, Result> {
  let pending = ''
  let isDone = false
  let wake: () => void = () => undefined
  const done = work((text) => {
    pending += text
    wake()
  }).finally(() => {
    isDone = true
    wake()
  })
  // A failure is thrown below; if the consumer has left, it must not count as unhandled.
  done.catch(() => undefined)
  while (!isDone || pending !== '') {
    if (pending === '') {
      await new Promise<void>((resolve) => {
        wake = resolve
        if (isDone) resolve()
      })
      continue
    }
    const text = pending
    pending = ''
    yield text
  }
  return await done
}
