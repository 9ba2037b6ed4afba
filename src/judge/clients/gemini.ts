// A strict client of Google's generateContent and streamGenerateContent.

import { type Ask, type DialectClient, type Message, readAnswer } from './answer.ts'
import { readChunks, readWhole } from './gemini-answer.ts'
import { at, parsed, type Shape, shapesAt, textAt } from './json.ts'

export const geminiClient: DialectClient = {
  name: 'gemini',
  url: (base, { model, form }) =>
    `${base.replace(/\/v1$/, '')}/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: {},
  keyHeaders: (key) => ({ 'x-goog-api-key': key }),
  body,
  isVisible: (chunk) =>
    shapesAt(chunk, 'candidates', 0, 'content', 'parts').some(
      (part) => textAt(part, 'text') !== '' || at(part, 'functionCall') !== undefined,
    ),
  read: (reply, form) => readAnswer(reply, form, { whole: readWhole, stream: readChunks }),
}

function body(ask: Ask): Shape {
  const { tools, maxTokens, more } = ask
  const system = systemTexts(ask)
  const config = callingConfig(ask)
  return {
    contents: contentsOf(ask.messages),
    ...(system.length > 0 ? { systemInstruction: { parts: [{ text: system.join('\n') }] } } : {}),
    ...(tools
      ? {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, schema }) => ({
                name,
                ...(description === undefined ? {} : { description }),
                parametersJsonSchema: schema,
              })),
            },
          ],
        }
      : {}),
    ...(config ? { toolConfig: { functionCallingConfig: config } } : {}),
    ...(maxTokens === undefined ? {} : { generationConfig: { maxOutputTokens: maxTokens } }),
    ...more,
  }
}

const systemTexts = ({ system, messages }: Ask): string[] => [
  ...(system === undefined ? [] : [system]),
  ...messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [message.text] : [],
  ),
]

/** The dialect cannot forbid parallel calls. */
function callingConfig({ choice }: Ask): Shape | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: { auto: 'AUTO', required: 'ANY', none: 'NONE' }[choice] }
}

interface Content {
  role: string
  parts: Shape[]
}

/** All results of one turn, and the user's text after them, are one content. A result names its tool, not only the call. */
function contentsOf(conversation: readonly Message[]): Content[] {
  const contents: Content[] = []
  const names = new Map<string, string>()
  const add = (role: string, parts: Shape[]) => {
    const last = contents.at(-1)
    if (last?.role === role && last.parts.some(({ functionResponse }) => functionResponse !== undefined))
      last.parts.push(...parts)
    else contents.push({ role, parts })
  }
  for (const entry of conversation) {
    if (entry.role === 'raw') contents.push(...(entry.items as Content[]))
    else if (entry.role === 'user') add('user', [{ text: entry.text }])
    else if (entry.role === 'assistant') contents.push({ role: 'model', parts: modelParts(entry) })
    else if (entry.role === 'result') {
      const response = { [entry.isError ? 'error' : 'output']: entry.text }
      const name = names.get(entry.id) ?? 'unknown'
      add('user', [{ functionResponse: { id: entry.id, name, response } }])
    }
    for (const part of contents.at(-1)?.parts ?? [])
      names.set(textAt(part, 'functionCall', 'id'), textAt(part, 'functionCall', 'name'))
  }
  return contents
}

const modelParts = ({ text, calls = [] }: Extract<Message, { role: 'assistant' }>): Shape[] => [
  ...(text === undefined ? [] : [{ text }]),
  ...calls.map(({ id, name, arguments: input }) => ({
    functionCall: { id, name, args: parsed(input) ?? input },
  })),
]
