// Reads a stream of streamGenerateContent by code of its own, and refuses what Google's clients fail at (docs/wire-cases.md): comments,
// names of events, `[DONE]`, data without the space, calls in pieces, chunks after the end.

export interface GeminiCall {
  id: string
  name: string
  input: unknown
}

export interface GeminiStream {
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: chunks are looked into by tests
  chunks: any[]
  text: string
  thoughts: string
  calls: GeminiCall[]
  signatures: string[]
  finishReason: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above
  usage: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error: any
  /** What a strict client would stumble over. */
  problems: string[]
}

type Chunk = GeminiStream['chunks'][number]

export async function readGeminiStream(response: Response): Promise<GeminiStream> {
  const raw = await response.text()
  const stream: GeminiStream = {
    raw,
    chunks: [],
    text: '',
    thoughts: '',
    calls: [],
    signatures: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
    problems: [],
  }
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) readFrames(stream)
  else if (raw.trimStart().startsWith('[')) for (const chunk of JSON.parse(raw)) onChunk(stream, chunk)
  else stream.error = JSON.parse(raw).error
  checkEnd(stream, response.status)
  return stream
}

function readFrames(stream: GeminiStream): void {
  const { raw, problems } = stream
  // A late error is sent again after its frame, bare.
  const bare = raw.lastIndexOf('\n{')
  const frames = bare < 0 ? raw : raw.slice(0, bare + 1)
  for (const line of frames.split('\n')) {
    if (line === '') continue
    if (line.startsWith('data: {')) onChunk(stream, JSON.parse(line.slice('data: '.length)))
    else problems.push(`a line that is not "data: {…": ${line.slice(0, 80)}`)
  }
  if (!frames.endsWith('\n\n')) problems.push('the last frame does not end in a blank line')
  for (const frame of frames.split(/\n{2,}/))
    if (frame.trim().includes('\n')) problems.push(`a frame of several lines: ${frame.slice(0, 80)}`)
  const last = bare < 0 ? undefined : JSON.parse(raw.slice(bare + 1)).error
  if (JSON.stringify(last) !== JSON.stringify(stream.error))
    problems.push('the bare error is not that of the frame')
}

function onChunk(stream: GeminiStream, chunk: Chunk): void {
  const { problems } = stream
  if (stream.error) problems.push('a chunk behind an error')
  stream.chunks.push(chunk)
  if (chunk.error) {
    stream.error = chunk.error
    return
  }
  if (stream.finishReason !== undefined) problems.push('a chunk behind the finishReason')
  if (typeof chunk.responseId !== 'string' || chunk.responseId !== stream.chunks[0].responseId)
    problems.push(`responseId ${chunk.responseId}`)
  if (typeof chunk.modelVersion !== 'string') problems.push('no modelVersion')
  const candidate = chunk.candidates?.[0]
  if (chunk.candidates?.length !== 1 || candidate.index !== 0 || candidate.content?.role !== 'model')
    return void problems.push('not one candidate of the model')
  for (const part of candidate.content.parts) onPart(stream, part)
  stream.finishReason = candidate.finishReason
  if (chunk.usageMetadata) stream.usage = chunk.usageMetadata
}

function onPart(stream: GeminiStream, part: Chunk): void {
  const { text, thought, functionCall: call, thoughtSignature: signature } = part
  if ((text === undefined) === (call === undefined)) stream.problems.push('a part that is not text or call')
  if (signature !== undefined) {
    stream.signatures.push(signature)
    if (!/^[A-Za-z0-9+/]+=*$/.test(signature)) stream.problems.push('a signature that is not base64')
  }
  if (thought) stream.thoughts += text
  else stream.text += text ?? ''
  if (!call) return
  if (typeof call.id !== 'string' || call.id === '') stream.problems.push('a call without id')
  if (typeof call.name !== 'string' || call.name === '') stream.problems.push('a call without name')
  if (typeof call.args !== 'object' || call.args === null || Array.isArray(call.args))
    stream.problems.push('args that are no object')
  stream.calls.push({ id: call.id, name: call.name, input: call.args })
}

const reasons = new Set(['STOP', 'MAX_TOKENS', 'SAFETY'])

function checkEnd(stream: GeminiStream, status: number): void {
  const { problems, error, finishReason, usage, calls } = stream
  if (new Set(calls.map(({ id }) => id)).size !== calls.length) problems.push('call ids are not distinct')
  if (error) {
    if (finishReason !== undefined) problems.push('a finishReason beside an error')
    if (!Number.isInteger(error.code) || !/^[A-Z_]+$/.test(error.status))
      problems.push('not an error of Google')
    if (status !== 200 && error.code !== status) problems.push('another code than the status')
    return
  }
  if (!reasons.has(finishReason ?? '')) problems.push(`finishReason ${finishReason}`)
  if (!usage) return void problems.push('no usage on the last chunk')
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount = 0, totalTokenCount } = usage
  if (promptTokenCount + candidatesTokenCount + thoughtsTokenCount !== totalTokenCount)
    problems.push('token counts that do not add up')
}
