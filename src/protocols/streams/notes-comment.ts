// Notes that came too late for the response header: one SSE comment line before the last event of the stream.

export const notesComment = (notes: readonly string[]): string =>
  notes.length === 0 ? '' : `: x-dragoman-notes: ${notes.join('; ').replace(/[\r\n\0]+/g, ' ')}\n`
