// Work with something to tell while it is done: what it tells as it comes, then its result.

export async function* telling<Result>(
  work: (tell: (text: string) => void) => Promise<Result>,
): AsyncGenerator<string, Result> {
  let told = ''
  let isDone = false
  let wake: () => void = () => undefined
  const done = work((text) => {
    told += text
    wake()
  }).finally(() => {
    isDone = true
    wake()
  })
  // Whoever waits for it sees it fail below; one who has gone need not.
  done.catch(() => undefined)
  while (!isDone || told !== '') {
    if (told === '') {
      await new Promise<void>((resolve) => {
        wake = resolve
        if (isDone) resolve()
      })
      continue
    }
    const text = told
    told = ''
    yield text
  }
  return await done
}
