// Wire content in readable form: the data of server-sent events, and the messages of Cursor runs as JSON.

import { type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf'
import { AgentClientMessageSchema, AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { isObject, parseJson } from '../base/json.ts'
import { isTooDeep } from './depth.ts'
import type { RunFrame } from './frame.ts'

type Message = Extract<RunFrame, { base64: string }>

interface DecodedMessage {
  /** Such as `interactionUpdate.textDelta`. */
  name: string
  json: unknown
}

export function decodeMessage({ do: what, base64 }: Pick<Message, 'do' | 'base64'>): DecodedMessage {
  const schema: DescMessage = what === 'sent' ? AgentClientMessageSchema : AgentServerMessageSchema
  const bytes = Buffer.from(base64, 'base64')
  try {
    const json = toJson(schema, fromBinary(schema, bytes))
    return { name: nameOf(json), json }
  } catch {
    return { name: 'unreadable', json: { bytes: bytes.length, hex: bytes.subarray(0, 64).toString('hex') } }
  }
}

/** The names of the outer message cases, at most two: `kvServerMessage.setBlobArgs`. */
function nameOf(json: unknown): string {
  const names: string[] = []
  let value = json
  while (isObject(value) && names.length < 2) {
    const [name] = Object.keys(value).filter((key) => key !== 'id' && key !== 'execId')
    if (name === undefined) break
    names.push(name)
    value = value[name]
  }
  return names.length === 0 ? 'empty' : names.join('.')
}

/** A message that only keeps the stream open. */
export const isHeartbeat = (message: DecodedMessage) =>
  /^(clientHeartbeat|interactionUpdate\.heartbeat|execClientControlMessage\.heartbeat)$/.test(message.name)

/** The JSON of each event in a piece of a stream, complete or not; undefined without events. */
export function decodeEvents(text: string): unknown[] | undefined {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => {
      const data = line.slice('data:'.length).trim()
      const json = parseJson(data)
      return json === undefined || isTooDeep(json) ? data : json
    })
  return events.length === 0 ? undefined : events
}
