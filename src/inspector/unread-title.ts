// The title of a turn whose body could not be read.

const readOfTitle = 10_000
const longestTitle = 120

/** `scrub` comes before the cut: half a secret would not be recognized later. */
export function unreadTitle(
  { body, bodyCut }: { body: string; bodyCut?: true },
  scrub: (text: string) => string,
): string {
  const line = scrub(body.slice(0, readOfTitle)).replace(/\s+/g, ' ').trim()
  if (line === '') return bodyCut ? 'Body not read' : 'Empty body'
  return `Unreadable: ${line.slice(0, longestTitle)}`
}
