// SSE messages as they are forwarded.

/** A message with the given fields. Data may have several lines. */
export function sseText(data: string, name?: string): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data
  return name === undefined || name === '' ? `data: ${lines}\n\n` : `event: ${name}\ndata: ${lines}\n\n`
}
