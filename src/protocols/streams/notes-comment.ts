// Notes that came too late for the response header: one comment line in the stream, in front of its last event.

export const notesComment = (notes: readonly string[]): string =>
  notes.length === 0 ? '' : `: x-dragoman-notes: ${notes.join('; ').replace(/[\r\n\0]+/g, ' ')}\n`
