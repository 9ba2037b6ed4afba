// A strict reader of Ollama's stream: what its clients in Rust and Python would stumble over is a problem.

import { isObject } from '../src/base/json.ts'

export interface OllamaStream {
  text: string
  thinking: string
  calls: { id: string; name: string; input: unknown }[]
  doneReason: string | undefined
  error: string | undefined
  /** The last line. */
  last: Record<string, unknown>
  lines: number
  problems: string[]
}

/** Of Python: more than those of JSON. */
const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/

export async function readOllamaStream(response: Response): Promise<OllamaStream> {
  const seen: OllamaStream = {
    ...{ text: '', thinking: '', calls: [], doneReason: undefined, error: undefined },
    ...{ last: {}, lines: 0, problems: [] },
  }
  const type = response.headers.get('content-type')
  if (type !== 'application/x-ndjson') seen.problems.push(`content-type ${type}`)
  const text = await response.text()
  if (!text.endsWith('\n')) seen.problems.push('the last line does not end')
  for (const line of text.replace(/\n$/, '').split(lineEnds)) {
    seen.lines++
    readLine(line, seen)
  }
  return seen
}

function readLine(line: string, seen: OllamaStream): void {
  const { problems } = seen
  if (seen.doneReason !== undefined || seen.error !== undefined) problems.push(`behind the end: ${line}`)
  const json = parsed(line)
  if (!isObject(json)) return void problems.push(`no object: ${line}`)
  seen.last = json
  if ('error' in json) {
    if (typeof json.error !== 'string' || json.error === '') problems.push(`no text of an error: ${line}`)
    seen.error = String(json.error)
    return
  }
  if (typeof json.model !== 'string' || !time.test(String(json.created_at))) problems.push(`no head: ${line}`)
  if (typeof json.done !== 'boolean') problems.push(`not said whether done: ${line}`)
  readSaid(json, line, seen)
  if (json.done) readEnd(json, line, seen)
}

function readSaid(json: Record<string, unknown>, line: string, seen: OllamaStream): void {
  const { problems } = seen
  const message = 'response' in json ? { role: 'assistant', content: json.response, ...json } : json.message
  if (!isObject(message) || message.role !== 'assistant' || typeof message.content !== 'string')
    return void problems.push(`no message: ${line}`)
  const { content, thinking, tool_calls: calls } = message
  seen.text += content
  if (thinking !== undefined && (typeof thinking !== 'string' || thinking === ''))
    problems.push(`no thinking: ${line}`)
  seen.thinking += typeof thinking === 'string' ? thinking : ''
  if (calls === undefined) return
  const [call, ...others] = Array.isArray(calls) ? calls : []
  // Zed reads the first call of a line, and nothing of the text beside it.
  if (others.length > 0 || content !== '') problems.push(`more than one call: ${line}`)
  const made = isObject(call) && isObject(call.function) ? call.function : {}
  const { name, arguments: input, index } = made
  if (!isObject(call) || typeof call.id !== 'string' || typeof name !== 'string' || !isObject(input))
    problems.push(`no call: ${line}`)
  if (index !== seen.calls.length) problems.push(`not in order: ${line}`)
  seen.calls.push({ id: isObject(call) ? String(call.id) : '', name: String(name), input })
}

const durations = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration']

function readEnd(json: Record<string, unknown>, line: string, seen: OllamaStream): void {
  seen.doneReason = String(json.done_reason)
  if (!['stop', 'length'].includes(seen.doneReason)) seen.problems.push(`no known end: ${line}`)
  for (const name of durations)
    if (!Number.isInteger(json[name]) || Number(json[name]) < 1) seen.problems.push(`${name}: ${line}`)
  for (const name of ['prompt_eval_count', 'eval_count'])
    if (json[name] === 0) seen.problems.push(`${name} is 0: ${line}`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
