// The messages between instances. A valid signature identifies the sender; the shape is validated nevertheless.

import { type Fields, isObject, parseJson } from '../base/json.ts'
import type { Delivery, SessionState } from '../core/backend.ts'
import { type Caller, callerFromId, callerId } from '../core/caller.ts'
import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import type { Message, ToolResult, TurnRequest } from '../core/request.ts'
import { array, boolean, invalid, object, oneOf, string } from '../protocols/requests/decode.ts'
import { readError, type Scrub, writeError } from './relayed-error.ts'

export const turnsPath = '/internal/v1/turns'
export const resultsPath = '/internal/v1/tool_results'
export const responsesPath = '/internal/v1/responses'
export const inspectorPath = '/internal/v1/inspector'

export interface RelayedTurn {
  backend: string
  /** `INSTANCE|EPOCH`: the owner that the sender expects. */
  owner: string
  request: TurnRequest
  turnId: string
  caller: Caller
  wholeArguments: boolean
}

export interface RelayedResults {
  backend: string
  /** A value that the receiver owns, for any session. */
  owner: string
  results: readonly ToolResult[]
  caller: Caller
}

/** A request for a response that the receiver may store. */
export interface RelayedResponse {
  /** The instance that the sender expects. */
  instance: string
  id: string
  caller: Caller
  action: 'find' | 'delete'
}

/** A request of the inspector's page, for the turns and figures of the receiver. */
export interface RelayedInspection {
  path: string
  query: string
  /** The key whose turns the viewer may see; absent: all. */
  key?: string | undefined
}

/** A stored response as JSON texts; a deleted one has none. */
export interface KeptTexts {
  response: string
  items: string
}

/** One line of the answer to a relayed turn. */
export type RelayLine =
  | { session: SessionState }
  | { notes: string[] }
  | { events: TurnEvent[] }
  /** The session is gone, before the commit point. */
  | { lost: string }
  /** Thrown, not part of the turn. */
  | { error: GatewayError }

/** Encodes a message, with its caller as an id. */
export const writeMessage = (message: RelayedTurn | RelayedResults | RelayedResponse): string =>
  JSON.stringify({ ...message, caller: callerId(message.caller) })

/** Removes the parts that only the door needs: the original body and the original messages. */
export function slimRequest(request: TurnRequest): TurnRequest {
  const { dialect } = request.origin
  return {
    ...request,
    messages: request.messages.map(withoutSource),
    origin: { dialect, body: {}, faithful: false },
  }
}

function withoutSource(message: Message): Message {
  if (message.role === 'tool') return { ...message, results: message.results.map(slimResult) }
  const { source: _source, ...rest } = message
  return rest
}

export function slimResult(result: ToolResult): ToolResult {
  const { source: _source, ...rest } = result
  return rest
}

export function readRelayedTurn(json: unknown): RelayedTurn {
  const body = object(json, 'body')
  const request = object(body.request, 'request')
  string(request.model, 'request.model')
  boolean(request.stream, 'request.stream')
  string(object(request.origin, 'request.origin').dialect, 'request.origin.dialect')
  for (const tool of array(request.tools, 'request.tools')) {
    string(object(tool, 'request.tools[]').name, 'request.tools[].name')
    object(object(tool, 'request.tools[]').schema, 'request.tools[].schema')
  }
  for (const message of array(request.messages, 'request.messages')) checkMessage(message)
  return {
    ...readSender(body),
    request: request as unknown as TurnRequest,
    turnId: string(body.turnId, 'turnId'),
    wholeArguments: boolean(body.wholeArguments, 'wholeArguments'),
  }
}

export function readRelayedResults(json: unknown): RelayedResults {
  const body = object(json, 'body')
  const results = array(body.results, 'results')
  for (const result of results) checkResult(result)
  return { ...readSender(body), results: results as ToolResult[] }
}

const readAction = oneOf(['find', 'delete'])

export function readRelayedResponse(json: unknown): RelayedResponse {
  const body = object(json, 'body')
  return {
    instance: string(body.instance, 'instance'),
    id: string(body.id, 'id'),
    caller: callerFromId(string(body.caller, 'caller')),
    action: readAction(body.action, 'action'),
  }
}

export function readRelayedInspection(json: unknown): RelayedInspection {
  const body = object(json, 'body')
  return {
    path: string(body.path, 'path'),
    query: string(body.query, 'query'),
    // Absent, it would mean all keys: any other value is refused.
    key: body.key === undefined ? undefined : string(body.key, 'key'),
  }
}

export function readKeptTexts(json: unknown): KeptTexts | undefined {
  if (!isObject(json) || typeof json.response !== 'string' || typeof json.items !== 'string') return undefined
  return { response: json.response, items: json.items }
}

const readSender = (body: Readonly<Fields>) => ({
  backend: string(body.backend, 'backend'),
  owner: string(body.owner, 'owner'),
  caller: callerFromId(string(body.caller, 'caller')),
})

const readRole = oneOf(['system', 'user', 'assistant', 'tool'])

function checkMessage(message: unknown): void {
  const fields = object(message, 'request.messages[]')
  if (readRole(fields.role, 'request.messages[].role') === 'tool') {
    for (const result of array(fields.results, 'request.messages[].results')) checkResult(result)
  } else checkParts(fields.content)
}

function checkResult(result: unknown): void {
  const fields = object(result, 'results[]')
  string(fields.callId, 'results[].callId')
  checkParts(fields.content)
}

const partFields = new Map([
  ['text', ['text']],
  ['reasoning', ['text']],
  ['tool-call', ['callId', 'name', 'input']],
  ['audio', ['format', 'data']],
  ['image', []],
  ['file', []],
])

function checkParts(parts: unknown): void {
  for (const part of array(parts, 'content')) {
    const fields = object(part, 'content[]')
    const needed = partFields.get(string(fields.type, 'content[].type'))
    if (!needed) throw invalid('content[].type', 'is not known here')
    for (const name of needed) string(fields[name], `content[].${name}`)
    if (needed.length === 0) object(fields.source, 'content[].source')
  }
}

export function writeLine(line: RelayLine, scrub: Scrub): string {
  return `${JSON.stringify(plainLine(line, scrub))}\n`
}

function plainLine(line: RelayLine, scrub: Scrub): unknown {
  if ('error' in line) return { error: writeError(line.error, scrub) }
  if (!('events' in line)) return line
  const plain = (event: TurnEvent) =>
    event.type === 'turn-error' ? { type: event.type, error: writeError(event.error, scrub) } : event
  return { events: line.events.map(plain) }
}

const sessionStates = new Set<unknown>(['live', 'resumed', 'fresh'] satisfies SessionState[])

/** Undefined for a line that this version does not know. */
export function readLine(text: string): RelayLine | undefined {
  const line = parseJson(text)
  if (!isObject(line)) return undefined
  if (sessionStates.has(line.session)) return { session: line.session as SessionState }
  if (Array.isArray(line.notes)) return { notes: line.notes.filter((note) => typeof note === 'string') }
  if (typeof line.lost === 'string') return { lost: line.lost }
  if (line.error !== undefined) return { error: readError(line.error) }
  if (!Array.isArray(line.events)) return undefined
  const events = line.events.map(readEvent)
  return events.includes(undefined) ? undefined : { events: events as TurnEvent[] }
}

/** The required fields of each event, beside its block. */
const eventFields = new Map<unknown, readonly string[]>(
  Object.entries({
    'turn-start': ['id', 'model'],
    'text-start': [],
    'text-delta': ['delta'],
    'text-end': [],
    'reasoning-start': [],
    'reasoning-delta': ['delta'],
    'reasoning-end': [],
    'tool-call-start': ['callId', 'name'],
    'tool-call-delta': ['delta'],
    'tool-call-end': ['callId', 'name', 'input'],
    'turn-end': ['reason'],
  } satisfies Record<
    Exclude<TurnEvent['type'], 'turn-error' | 'tool-search' | 'web-use' | 'opaque'>,
    readonly string[]
  >),
)

function readEvent(event: unknown): TurnEvent | undefined {
  if (!isObject(event)) return undefined
  if (event.type === 'turn-error') return { type: 'turn-error', error: readError(event.error) }
  const needed = eventFields.get(event.type)
  if (!needed?.every((name) => typeof event[name] === 'string')) return undefined
  const hasBlock = !String(event.type).startsWith('turn-')
  return hasBlock && !Number.isInteger(event.block) ? undefined : (event as unknown as TurnEvent)
}

const deliveryStates = new Set<unknown>([
  'accepted',
  'duplicate',
  'different',
  'unknown',
] satisfies Delivery['state'][])

export function readDeliveries(json: unknown): Delivery[] | undefined {
  const list = isObject(json) ? json.deliveries : undefined
  if (!Array.isArray(list)) return undefined
  return list.flatMap((entry): Delivery[] => {
    if (!isObject(entry) || typeof entry.callId !== 'string' || !deliveryStates.has(entry.state)) return []
    const why = typeof entry.why === 'string' ? { why: entry.why } : {}
    return [{ callId: entry.callId, state: entry.state as Delivery['state'], ...why }]
  })
}
