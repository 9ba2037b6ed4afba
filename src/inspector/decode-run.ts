// Messages of a Cursor run as plain values: bytes that hold text become text, JSON becomes JSON.

import { fromBinary } from '@bufbuild/protobuf'
import { AgentClientMessageSchema, AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { parseJson } from '../base/json.ts'
import { isTooDeep } from '../tapes/depth.ts'
import type { RunDecoder } from './show-frames.ts'

export const runDecoder: RunDecoder = {
  decode(direction, bytes) {
    const schema = direction === 'sent' ? AgentClientMessageSchema : AgentServerMessageSchema
    try {
      const message = fromBinary(schema, bytes)
      const value = plain(message)
      return { name: nameOf(message), value: isTooDeep(value) ? undefined : value }
    } catch {
      return { name: 'a message that cannot be read', value: undefined }
    }
  },
}

/** `execServerMessage.mcpArgs`: the chosen case, and the case chosen inside it. */
function nameOf(message: unknown): string {
  const outer = choiceIn(message)
  const inner = choiceIn(outer?.value)
  return [outer?.case ?? 'empty message', inner?.case ?? []].flat().join('.')
}

const choiceIn = (message: unknown) => Object.values(message ?? {}).find(isChoice)

const strictly = new TextDecoder('utf-8', { fatal: true })

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return plainBytes(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, inner] of Object.entries(value)) {
    if (name === '$typeName' || name === '$unknown') continue
    // A oneof is shown as its chosen field.
    if (isChoice(inner)) {
      if (inner.case !== undefined) fields[inner.case] = plain(inner.value)
    } else fields[name] = plain(inner)
  }
  return fields
}

const isChoice = (value: unknown): value is { case: string | undefined; value: unknown } =>
  typeof value === 'object' && value !== null && 'case' in value && !('$typeName' in value)

function plainBytes(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = strictly.decode(bytes)
  } catch {
    return `0x${Buffer.from(bytes).toString('hex')}`
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is binary has them
  if (/[\x00-\x08\x0e-\x1f]/.test(text)) return `0x${Buffer.from(bytes).toString('hex')}`
  const json = parseJson(text)
  return json === undefined || isTooDeep(json) ? text : json
}
