// An event stream, read to the letter: https://html.spec.whatwg.org/multipage/server-sent-events.html. What clients in the field
// stumble over is said, not put right.

export interface StreamEvent {
  name: string | undefined
  data: string
}

export interface EventStream {
  events: StreamEvent[]
  comments: string[]
  troubles: string[]
}

export function readEvents(text: string): EventStream {
  const stream: EventStream = { events: [], comments: [], troubles: [] }
  const lines = text.split(/\r\n|\n|\r/)
  let name: string | undefined
  let data: string[] = []
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) stream.events.push({ name, data: data.join('\n') })
      if (data.length > 0 && data.join('') === '') stream.troubles.push('an event with empty data')
      name = undefined
      data = []
    } else if (line.startsWith(':')) stream.comments.push(line)
    else {
      const [, field = '', value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? []
      if (field === 'data') data.push(value)
      else if (field === 'event') name = value
      else if (field === 'id')
        stream.troubles.push(`an id line (${line}), after which old SDKs crash on comments`)
      else if (field !== 'retry')
        stream.troubles.push(`a line that is none of an event stream: ${line.slice(0, 80)}`)
    }
  }
  if (data.length > 0) stream.troubles.push('the last event is cut off: no blank line behind it')
  return stream
}
