// A generateContent request in the demo model's neutral terms.

import { wantedText } from '../model/request-text.ts'
import type { Conversation, Message } from '../model.ts'
import type { Content, GeminiRequest } from './request.ts'

export function toConversation({
  systemInstruction,
  contents = [],
  tools = [],
  toolConfig,
}: GeminiRequest): Conversation {
  const { mode, allowedFunctionNames: allowed = [] } = toolConfig?.functionCallingConfig ?? {}
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
  return {
    system: textsOf(systemInstruction ?? {}).join('\n'),
    messages: contents.map(toMessage),
    tools: declared.map(({ name = '', description = '', parametersJsonSchema, parameters }) => ({
      name,
      description,
      schema: parametersJsonSchema ?? lowerTypes(parameters) ?? {},
    })),
    toolChoice: toChoice(mode, allowed),
  }
}

function toChoice(mode: string | undefined, allowed: readonly string[]): Conversation['toolChoice'] {
  const [only] = allowed
  if (mode === 'ANY') return only !== undefined && allowed.length === 1 ? { name: only } : 'required'
  return mode === 'NONE' ? 'none' : 'auto'
}

const textsOf = ({ parts = [] }: Content) =>
  parts.flatMap(({ text, thought }) => (text === undefined || text === '' || thought ? [] : [text]))

function toMessage(content: Content): Message {
  const { role, parts = [] } = content
  const texts = textsOf(content)
  return {
    role: role === 'model' ? 'assistant' : 'user',
    text: role === 'model' ? texts.join('') : wantedText(texts),
    toolCalls: parts.flatMap(({ functionCall: call }) =>
      call ? [{ ...(call.id && { id: call.id }), name: String(call.name), arguments: call.args ?? {} }] : [],
    ),
    toolResults: parts.flatMap(({ functionResponse: result }) =>
      result ? [{ ...(result.id && { callId: result.id }), ...toResult(result.response ?? {}) }] : [],
    ),
  }
}

function toResult({ output, error, ...rest }: Record<string, unknown>): { text: string; isError: boolean } {
  const value = output ?? error ?? rest
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError: error !== undefined }
}

/** `parameters` writes its types in upper case. */
function lowerTypes<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(lowerTypes) as T
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'type' && typeof value === 'string' ? value.toLowerCase() : lowerTypes(value),
    ]),
  ) as T
}
