// Reads a Chat Completions stream by code of its own, and checks what real clients insist on (docs/wire-cases.md).

export interface StreamedCall {
  index: number
  id: string
  name: string
  /** The argument deltas, in order. */
  pieces: string[]
  arguments: string
}

export interface ChatStream {
  status: number
  headers: Headers
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: chunks are looked into by tests
  chunks: any[]
  comments: string[]
  text: string
  reasoning: string
  calls: StreamedCall[]
  finishReason: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above
  usage: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error: any
  /** What a strict client would stumble over. */
  problems: string[]
}

export async function readChatStream(response: Response): Promise<ChatStream> {
  const raw = await response.text()
  const stream: ChatStream = {
    status: response.status,
    headers: response.headers,
    raw,
    chunks: [],
    comments: [],
    text: '',
    reasoning: '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
    problems: [],
  }
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    stream.error = JSON.parse(raw).error
    return stream
  }
  readEvents(stream)
  checkEnd(stream)
  return stream
}

function readEvents(stream: ChatStream): void {
  let done = 0
  for (const event of stream.raw.split('\n\n')) {
    for (const line of event.split('\n')) {
      if (line === '') continue
      if (line.startsWith(':')) {
        stream.comments.push(line)
        continue
      }
      if (!line.startsWith('data: ')) stream.problems.push(`a line that is neither data nor comment: ${line}`)
      const data = line.slice(6)
      if (done > 0) stream.problems.push('something follows [DONE]')
      if (data === '[DONE]') done++
      else if (data === '') stream.problems.push('empty data')
      else onChunk(stream, JSON.parse(data))
    }
  }
  if (done !== 1) stream.problems.push(`${done} [DONE]`)
  if (!stream.raw.endsWith('data: [DONE]\n\n')) stream.problems.push('[DONE] is not last')
}

function onChunk(stream: ChatStream, chunk: ChatStream['chunks'][number]): void {
  stream.chunks.push(chunk)
  if (chunk.error) {
    stream.error = chunk.error
    return
  }
  if (!Array.isArray(chunk.choices)) stream.problems.push('a chunk without choices')
  if (chunk.usage) {
    if (stream.usage) stream.problems.push('a second usage chunk')
    if (chunk.choices.length > 0) stream.problems.push('usage in a chunk with choices')
    if (stream.finishReason === undefined) stream.problems.push('usage before finish_reason')
    stream.usage = chunk.usage
  }
  const choice = chunk.choices?.[0]
  if (!choice) return
  if (stream.finishReason !== undefined) stream.problems.push('a delta behind finish_reason')
  if (stream.chunks.length === 1 && choice.delta.role !== 'assistant')
    stream.problems.push('the first delta has no role')
  if (typeof choice.delta.content === 'string') stream.text += choice.delta.content
  if (typeof choice.delta.reasoning_content === 'string') stream.reasoning += choice.delta.reasoning_content
  for (const delta of choice.delta.tool_calls ?? []) onCallDelta(stream, delta)
  if (choice.finish_reason) stream.finishReason = choice.finish_reason
}

function onCallDelta(stream: ChatStream, delta: ChatStream['chunks'][number]): void {
  const { index } = delta
  if (!Number.isInteger(index) || index < 0) return void stream.problems.push(`tool index ${index}`)
  const known = stream.calls[index]
  if (!known) {
    if (index !== stream.calls.length) stream.problems.push(`tool index ${index} skips`)
    if (typeof delta.id !== 'string' || delta.id === '') stream.problems.push('a first tool delta without id')
    if (typeof delta.function?.name !== 'string' || delta.function.name === '')
      stream.problems.push('a first tool delta without name')
    if (delta.type !== 'function') stream.problems.push('a first tool delta without type')
    const piece = delta.function?.arguments ?? ''
    stream.calls[index] = {
      index,
      id: delta.id,
      name: delta.function?.name,
      pieces: piece ? [piece] : [],
      arguments: piece,
    }
    return
  }
  if ('id' in delta || 'type' in delta || 'name' in (delta.function ?? {}))
    stream.problems.push('id, type or name is repeated')
  if (typeof delta.function?.arguments !== 'string')
    stream.problems.push('an argument delta without arguments')
  const piece = delta.function?.arguments ?? ''
  known.pieces.push(piece)
  known.arguments += piece
}

function checkEnd(stream: ChatStream): void {
  if (stream.error) {
    if (stream.finishReason !== undefined) stream.problems.push('finish_reason beside an error')
    return
  }
  if (stream.finishReason === undefined) stream.problems.push('no finish_reason')
  const complete = stream.calls.filter((call) => isObjectText(call.arguments))
  if (complete.length < stream.calls.length && stream.finishReason !== 'length')
    stream.problems.push('arguments that are not a JSON object')
  if (stream.finishReason === 'tool_calls' && stream.calls.length === 0)
    stream.problems.push('tool_calls without a call')
  if (stream.finishReason === 'stop' && stream.calls.length > 0)
    stream.problems.push('stop although there are calls')
  if (new Set(stream.calls.map((call) => call.id)).size !== stream.calls.length)
    stream.problems.push('call ids are not distinct')
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
