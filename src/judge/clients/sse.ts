// Reads an event stream to the letter: https://html.spec.whatwg.org/multipage/server-sent-events.html. It reports what
// breaks clients in the field and repairs nothing.

import type { Answer } from './answer.ts'
import { reporter } from './answer.ts'

interface StreamEvent {
  name: string | undefined
  data: string
}

interface EventStream {
  events: StreamEvent[]
  comments: string[]
  problems: string[]
}

export function readEvents(text: string): EventStream {
  const stream: EventStream = { events: [], comments: [], problems: [] }
  const lines = text.split(/\r\n|\n|\r/)
  let name: string | undefined
  let data: string[] = []
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) stream.events.push({ name, data: data.join('\n') })
      if (data.length > 0 && data.join('') === '') stream.problems.push('an event with empty data')
      name = undefined
      data = []
    } else if (line.startsWith(':')) stream.comments.push(line)
    else {
      const [, field = '', value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? []
      if (field === 'data') data.push(value)
      else if (field === 'event') name = value
      else if (field === 'id')
        stream.problems.push(`an id line (${line}), after which old SDKs crash on comments`)
      else if (field !== 'retry')
        stream.problems.push(`a line that no event stream has: ${line.slice(0, 80)}`)
    }
  }
  if (data.length > 0) stream.problems.push('the last event is cut off: no blank line follows it')
  return stream
}

/** Feeds the events of a streamed answer to its reader. */
export function readStream(
  answer: Answer,
  reader: { take(name: string | undefined, data: string): void; end(): void },
): void {
  const { events, comments, problems } = readEvents(answer.reply.text)
  const report = reporter(answer)
  answer.comments = comments
  for (const problem of problems) report('frame', problem)
  for (const { name, data } of events) reader.take(name, data)
  reader.end()
}
