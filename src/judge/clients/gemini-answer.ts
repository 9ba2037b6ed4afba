// Answers of Google's generateContent and streamGenerateContent, read by the strict client. Google's own clients read frames by
// a pattern that only `data: {…}` and blank lines fit.

import { type Answer, type Finish, type Report, reporter } from './answer.ts'
import { at, isShape, listAt, parsed, type Shape, shapesAt, textAt } from './json.ts'

/** Without a call in the answer. */
const finishes = new Map<unknown, Finish>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'].map(
    (reason): [string, Finish] => [reason, 'content_filter'],
  ),
])

/** Ends that clients treat as failures. */
const failures = new Set<unknown>(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER'])

function takeError(answer: Answer, value: unknown): boolean {
  const error = at(value, 'error')
  if (!isShape(error)) return false
  answer.error = {
    message: textAt(error, 'message'),
    type: textAt(error, 'status'),
    code: String(error.code ?? ''),
  }
  return true
}

/** Cumulative: every chunk may carry it, and the last one counts. */
function takeUsage(answer: Answer, usage: unknown): void {
  if (!isShape(usage)) return
  const count = (name: string) => Number(usage[name] ?? 0)
  answer.usages = 1
  const tokens = {
    input: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    output: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    cached: count('cachedContentTokenCount'),
  }
  answer.usage = tokens
  if (count('totalTokenCount') !== tokens.input + tokens.output)
    reporter(answer)('usage', 'totalTokenCount is not the sum of its parts')
}

class ChunkReader {
  readonly #answer: Answer
  readonly #report: Report
  readonly #parts: Shape[] = []
  readonly #first = new Map<string, unknown>()

  constructor(answer: Answer) {
    this.#answer = answer
    this.#report = reporter(answer)
  }

  take(chunk: Shape): void {
    for (const field of ['responseId', 'modelVersion']) {
      const first = this.#first.get(field) ?? chunk[field]
      this.#first.set(field, first)
      // Google always sends them, and no client needs them.
      if (textAt(chunk, field) === '') this.#report('exact', `a chunk without ${field}`)
      else if (chunk[field] !== first)
        this.#report('constant', `${field} changed from ${first} to ${chunk[field]}`)
    }
    const candidates = shapesAt(chunk, 'candidates')
    if (candidates.length !== 1) this.#report('shape', `${candidates.length} candidates in a chunk`)
    takeUsage(this.#answer, chunk.usageMetadata)
    for (const candidate of candidates) this.#candidate(candidate)
  }

  #candidate(candidate: Shape): void {
    const answer = this.#answer
    if ((candidate.index ?? 0) !== 0) this.#report('shape', `index is ${JSON.stringify(candidate.index)}`)
    const parts = listAt(candidate, 'content', 'parts')
    if (answer.ended) this.#report('order', 'a candidate after finishReason')
    if (parts.length > 0 && at(candidate, 'content', 'role') !== 'model')
      this.#report('role', `role is ${JSON.stringify(at(candidate, 'content', 'role'))}`)
    for (const part of parts) if (isShape(part)) this.#part(part)
    const reason = candidate.finishReason
    if (typeof reason !== 'string') return
    answer.rawFinish = reason
    answer.ended = true
    if (failures.has(reason))
      answer.error = { message: textAt(candidate, 'finishMessage') || reason, type: reason, code: '' }
    else if (reason === 'STOP' && answer.calls.length > 0) answer.finish = 'tool_calls'
    else answer.finish = finishes.get(reason)
  }

  #part(part: Shape): void {
    const answer = this.#answer
    if (part.thought === true) {
      answer.reasoning += textAt(part, 'text')
      return
    }
    answer.text += textAt(part, 'text')
    const call = part.functionCall
    if (!isShape(call)) {
      this.#parts.push(part)
      return
    }
    const name = textAt(call, 'name')
    const input = at(call, 'args') ?? {}
    // Ids are optional: clients make their own, for the call and its result.
    const id = textAt(call, 'id') || `${name}_${answer.calls.length}`
    if (call.id !== id) this.#report('exact', 'a functionCall without id')
    this.#parts.push({ ...part, functionCall: { ...call, id } })
    if (name === '') this.#report('call', 'a functionCall without name')
    if (!isShape(input)) this.#report('call', `args of ${name} are not an object: ${JSON.stringify(input)}`)
    const text = JSON.stringify(input)
    answer.calls.push({ id, name, arguments: text, pieces: [text] })
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#report('end', 'the connection broke')
    answer.echo = [{ role: 'model', parts: this.#parts }]
    if (answer.error) return
    if (!answer.ended) this.#report('end', 'no finishReason')
    if (answer.finish === undefined) this.#report('finish', `finishReason is ${answer.rawFinish}`)
  }
}

export function readWhole(answer: Answer): void {
  const report = reporter(answer)
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return report('shape', 'the body is not a JSON object')
  if (takeError(answer, value) || answer.reply.status !== 200) return
  const reader = new ChunkReader(answer)
  reader.take(value)
  reader.end()
}

export function readChunks(answer: Answer): void {
  const report = reporter(answer)
  const reader = new ChunkReader(answer)
  const lines = answer.reply.text.split(/\r\n|\n|\r/)
  for (const [number, line] of lines.entries()) {
    if (line.trim() === '') continue
    // An error may come bare, as the last thing: some clients read it only so.
    if (line.startsWith('{') && takeError(answer, parsed(lines.slice(number).join('\n')))) break
    if (line.startsWith(':')) answer.comments.push(line)
    const value = line.startsWith('data: ') ? parsed(line.slice('data: '.length)) : undefined
    if (!isShape(value)) {
      report('frame', `a line that Google's clients cannot read: ${line.slice(0, 80)}`)
      if (line.startsWith('{')) break
    } else if (!takeError(answer, value)) reader.take(value)
  }
  reader.end()
}
