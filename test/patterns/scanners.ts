// What reads texts from outside, as functions of one text.

import { findMatches } from '../../sim/model/found-lines.ts'
import { fileLines, plainResult } from '../../sim/model/plain-result.ts'
import { findWorkingDirectory, stripContext } from '../../sim/model/request-text.ts'
import { readWishes } from '../../sim/model/wishes.ts'
import { cutText } from '../../sim/pieces.ts'
import { cutCalls, cutResults } from '../../sim/text-chat/blocks.ts'
import { splitAtTools } from '../../sim/text-chat/tools-section.ts'
import { memberTexts } from '../../src/base/json-source.ts'
import { membersOf, memberText } from '../../src/base/json-text.ts'
import { readLenientJson } from '../../src/base/lenient-json/lenient-json.ts'
import { nearest } from '../../src/base/nearest.ts'
import { looksSecret } from '../../src/base/secrets/find.ts'
import { Notes } from '../../src/core/notes.ts'
import type { Tool } from '../../src/core/request.ts'
import { parseMarkdown } from '../../src/inspector/page/transcript/markdown-blocks.ts'
import { parseInline } from '../../src/inspector/page/transcript/markdown-inline.ts'
import { piecesOf } from '../../src/inspector/page/transcript/text-pieces.ts'
import { isServerBlock } from '../../src/protocols/anthropic-messages/messages-in.ts'
import { anthropicModel } from '../../src/protocols/anthropic-messages/models.ts'
import { fromMessagesRequest } from '../../src/protocols/anthropic-messages/request-in.ts'
import * as fileFormats from '../../src/protocols/client-tools/file-formats.ts'
import { compileGlob } from '../../src/protocols/client-tools/glob-pattern.ts'
import { parseGrep } from '../../src/protocols/client-tools/grep-formats.ts'
import {
  readGlobResult,
  readGrepResult,
  readListResult,
} from '../../src/protocols/client-tools/read-search.ts'
import * as shellFormats from '../../src/protocols/client-tools/read-shell.ts'
import { redirect } from '../../src/protocols/client-tools/redirect.ts'
import { EnvelopeReader, encodeEnvelope } from '../../src/protocols/connect/envelope.ts'
import { toCursorError } from '../../src/protocols/cursor-agent/errors.ts'
import { list } from '../../src/protocols/cursor-agent/native-files.ts'
import { findWorkspace } from '../../src/protocols/cursor-agent/workspace.ts'
import { fromChatError } from '../../src/protocols/openai-chat/errors.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { serverTraits } from '../../src/protocols/openai-chat/servers.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'
import { fromQwenWebError } from '../../src/protocols/qwen-web/errors.ts'
import { withoutHeadings } from '../../src/protocols/qwen-web/fold.ts'
import { splitReminders } from '../../src/protocols/requests/system-reminders.ts'
import { readToolInput } from '../../src/protocols/requests/tool-input.ts'
import { createSseReader } from '../../src/protocols/streams/sse.ts'
import { StopFilter } from '../../src/protocols/streams/stop-filter.ts'
import { createEscaper } from '../../src/protocols/tool-text/escape.ts'
import { markupFor } from '../../src/protocols/tool-text/markup.ts'
import { ToolTextParser } from '../../src/protocols/tool-text/parse.ts'
import { isAddress, namesAddress } from '../../src/protocols/web-tools/addresses.ts'
import { modelVariants } from '../../src/server/model-variants.ts'
import { editJson } from '../../src/setup/json-edit.ts'
import { showDiff } from '../../src/setup/line-diff.ts'
import { maskSecrets } from '../../src/setup/mask.ts'
import { scanToml } from '../../src/setup/toml-scan.ts'
import { addYamlItem } from '../../src/setup/yaml-edit.ts'
import { decodeEvents } from '../../src/tapes/decode.ts'
import { parseTapes } from '../../src/tapes/read.ts'
import { timelineOf } from '../../src/tapes/timeline.ts'

export type TextReader = (text: string) => unknown

const tool = (name: string, description = ''): Tool => ({
  name,
  description,
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
})
const markup = { format: 'json' as const, callTag: 'tool_call', resultTag: 'tool_response' }
const simMarkup = { callTag: 'tool_call', resultTag: 'tool_response', format: 'json' as const }
const result = (text: string) => ({ text, isError: false })
const inPieces = (text: string, length: number): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  )
const bytesOf = (text: string) => new TextEncoder().encode(text)

const parseToolText = (pieces: readonly string[]) => {
  const parser = new ToolTextParser({ markup, tools: [tool('read_file')], salvage: true })
  for (const piece of pieces) parser.push(piece)
  return parser.end(false)
}

const readSse = (pieces: readonly string[]) => {
  const reader = createSseReader()
  for (const piece of pieces) reader.push(bytesOf(piece))
  return reader.end()
}

const say = (text: string) => [{ role: 'user', content: text }]

const formats = Object.entries({ ...fileFormats, ...shellFormats }).map(
  ([name, format]): [string, TextReader] => [
    name,
    name.endsWith('File')
      ? (text) => (format as fileFormats.FileFormat)(text, { firstLine: 1 })
      : (text) => (format as shellFormats.ShellFormat)(result(text), 'ls'),
  ],
)

/** By name. What throws has read what it refuses. */
export const readers: Record<string, TextReader> = {
  ...Object.fromEntries(formats),
  'a glob pattern': (text) => compileGlob(text)('src/a.ts'),
  'a path for a glob': (text) => compileGlob('**/*a*a*{b,c}[!x]?.ts')(text),
  'a result of glob': (text) => readGlobResult({ kind: 'glob', pattern: '*' }, result(text)),
  'a result of list': (text) => {
    const outcome = readListResult({ kind: 'list', path: '/w', ignore: ['*.log'] }, result(text))
    return list.done({ path: '/w' } as never, outcome as never)
  },
  'a result of grep': (text) => {
    const job = { kind: 'grep', pattern: 'a?a+b', mode: 'content', glob: '*.ts' } as const
    return readGrepResult(
      { job, asked: { mode: 'content' }, filterGlob: true, filterCase: true },
      result(text),
    )
  },
  'a line of grep': (text) => parseGrep([`${text}:1:x`, `${text}-1-x`, text], { mode: 'content' }),
  'a name of a tool': (text) => redirect({ kind: 'read', path: '/x' }, [tool(`mcp_p${text}`)]),
  'a description of a tool': (text) =>
    redirect({ kind: 'write', path: '/x', content: '' }, [tool('write', text)]),
  'a path of a job': (text) =>
    redirect({ kind: 'grep', pattern: 'x', path: `/${text}`, mode: 'content' }, [tool('grep')]),
  'a type of a block': (text) => isServerBlock(text),
  'an error of Cursor': (text) =>
    toCursorError({ backend: 'box', connect: { code: 'internal', message: text, details: [] } as never }),
  'an error of Qwen': (text) =>
    fromQwenWebError({ backend: 'box', status: 400, body: { code: text, message: text }, excerpt: text }),
  'an error of a server': (text) => [
    fromChatError({ backend: 'box', status: 400, body: { error: { code: text, message: text } } }),
    fromChatError({ backend: 'box', status: 502, body: undefined, excerpt: `<html>${text}` }),
  ],
  'a name of a model': (text) => [serverTraits('x', text), anthropicModel(text), modelVariants(text)],
  'a model for a format': (text) =>
    markupFor({ format: 'json', tag: 'tool_call', formats: { '*a*b*c*': 'xml' } } as never, text),
  'a misspelt word': (text) => nearest(text, [text.slice(1), `${text}x`, 'gpt']),
  'a workspace in a prompt': (text) => findWorkspace([text]),
  'headings of a fold': withoutHeadings,
  'a stop sequence': (text) => {
    const filter = new StopFilter([`${text.slice(0, 4_000)}\u0000`, text.slice(0, 100)])
    return inPieces(text, 7).map((delta) => filter.push([{ type: 'text-delta', block: 0, delta }]))
  },
  'tool text, whole': (text) => parseToolText([text]),
  'tool text, in pieces': (text) => parseToolText(inPieces(text, 5)),
  'tool text behind an open call': (text) =>
    parseToolText(['<tool_call>\n{"name": "read_file", "arguments": {"path": "', text]),
  'lenient JSON': (text) => [readLenientJson(text), readLenientJson(`{"a": "${text}`)],
  'top-level text of JSON': (text) => memberTexts(`{"a": ${text}`),
  'members of JSON': (text) => [membersOf(`{"a": "${text}"}`), memberText(`{${text}}`, 'a')],
  'arguments of a tool': (text) => readToolInput(text),
  'markers to escape': (text) => createEscaper(['<tool_call>', '</tool_call>', '[TOOL_CALLS]']).escape(text),
  'reminders of a system': (text) => splitReminders(text),
  'server-sent events': (text) => readSse([text]),
  'server-sent events, in pieces': (text) => readSse(inPieces(text, 3)),
  'an envelope, in pieces': (text) => {
    const reader = new EnvelopeReader({ backend: 'box' })
    const bytes = encodeEnvelope(bytesOf(text))
    for (let at = 0; at < bytes.length; at += 3) reader.push(bytes.subarray(at, at + 3))
  },
  'a Chat request': (text) => {
    const call = { id: text, type: 'function', function: { name: text, arguments: text } }
    const messages = [
      ...say(text),
      { role: 'assistant', content: text, tool_calls: [call] },
      { role: 'tool', tool_call_id: text, content: text },
    ]
    return fromChatRequest(
      { model: 'm', messages, tools: [{ type: 'function', function: { name: 'a', description: text } }] },
      new Notes(),
    )
  },
  'a Messages request': (text) => {
    const use = { type: 'tool_use', id: text, name: text, input: text }
    const messages = [
      ...say(text),
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: text, content: text }] },
    ]
    return fromMessagesRequest({ model: 'm', max_tokens: 9, system: text, messages }, new Notes(), {
      betas: text,
      version: text,
    })
  },
  'a Responses request': (text) => {
    const call = { type: 'function_call', call_id: text, name: 'a', arguments: text }
    const input = [...say(text), call, { type: 'function_call_output', call_id: text, output: text }]
    return fromResponsesRequest({ model: 'm', input, instructions: text }, new Notes(), {
      find: () => undefined,
    } as never)
  },
  'a secret in a text': (text) => looksSecret.find(text),
  'a masked file': maskSecrets,
  'a difference of files': (text) => showDiff(text, `${text}x`),
  'a TOML file': scanToml,
  'a YAML file': (text) => addYamlItem(text, 'models', [['name', 'x']]),
  'a JSON file': (text) => editJson(text, [{ path: ['a'], value: 1 } as never]),
  'a tape': (text) => parseTapes(text, 'x'),
  'events of a tape': decodeEvents,
  'a timeline of a tape': (text) =>
    timelineOf({ writes: inPieces(text, 5).map((piece) => ({ at: 0, text: piece })) } as never),
  'addresses of pages': (text) => [
    isAddress(`https://${text}`),
    namesAddress(text, 'https://a.example/x'),
    namesAddress(`https://${text}`, 'https://a.example/x'),
  ],
  'Markdown: blocks': parseMarkdown,
  'Markdown: in a line': parseInline,
  'a long text of the page': piecesOf,
  'sim: wishes': readWishes,
  'sim: context': stripContext,
  'sim: working directory': findWorkingDirectory,
  'sim: a result': (text) => [fileLines(plainResult(text)), findMatches(plainResult(text).lines)],
  'sim: words': (text) => cutText(text, 3),
  'sim: calls': (text) => cutCalls(text, simMarkup as never, []),
  'sim: results': (text) => cutResults(text, simMarkup as never),
  'sim: tools': (text) => splitAtTools(text, true),
}
