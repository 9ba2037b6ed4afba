// Google's Gemini API over HTTPS, with an API key. The key is in a header, never in an address: addresses end up in logs.

import { isObject } from '../../base/json.ts'
import type { Backend, TurnContext } from '../../core/backend.ts'
import { asMade } from '../../core/call-check.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { TurnRequest } from '../../core/request.ts'
import { signatureSource } from '../../protocols/gemini/call-signature.ts'
import { dialect } from '../../protocols/gemini/dialect.ts'
import { GeminiReader } from '../../protocols/gemini/read.ts'
import { geminiIds } from '../../protocols/gemini/stored-ids.ts'
import { mostTools } from '../../protocols/gemini/tools-out.ts'
import { fromGeminiError } from '../../protocols/gemini/upstream-errors.ts'
import { type NameRules, withFittingNames } from '../../protocols/openai-chat/fitting-names.ts'
import { checkModelInPath } from '../../protocols/requests/model-in-path.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { askJson } from '../http/ask-json.ts'
import { httpTurn } from '../http/http-turn.ts'
import { StoredIds } from '../http/stored-ids.ts'
import { KeptSignatures } from './kept-signatures.ts'
import { listGeminiModels } from './list-models.ts'
import { GeminiTurnRequest, type Memory } from './turn-request.ts'

interface GeminiBackendOptions {
  name: string
  client: UpstreamClient
  apiKey: string
  headers: Record<string, string>
  /** Several keys share the account. */
  isShared?: boolean | undefined
  progressMs: number
  firstByteMs: number
}

const prefix = '/v1beta'

export function createGeminiBackend(options: GeminiBackendOptions): Backend {
  const { name, client } = options
  const headers = { 'x-goog-api-key': options.apiKey, ...options.headers }
  const memory: Memory = { kept: new KeptSignatures(), refusesIds: false }
  const storedIds = options.isShared ? new StoredIds(name, geminiIds) : undefined

  function open(request: TurnRequest, context: TurnContext) {
    const fitting = withFittingNames(request, (text) => context.notes.add(text), nameRules)
    const source = signatureSource(name, request.model)
    const mayForward = context.mayOpenLane === true && fitting.request === request
    const sent = new GeminiTurnRequest(fitting.request, context, memory, { source, mayForward })
    storedIds?.check(context.caller.key, sent.body)
    return { fitting, source, sent }
  }

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const { turnId, budget, caller } = context
    const { model, stream } = request
    const { fitting, source, sent } = open(request, context)
    const createReader = () => {
      const lane = sent.isVerbatim ? laneOf(stream) : undefined
      const calls = fitting.check(context.calls)
      const note = (text: string) => context.notes.add(text)
      // Calls arrive whole.
      const facts = { wholeArguments: true, model, backend: name, turnId, budget, calls, source, lane, note }
      return new GeminiReader(facts)
    }
    let reader = createReader()
    const attempt = () => ({
      headers: context.traceHeaders ? { ...headers, ...context.traceHeaders } : headers,
      body: sent.text(),
      reader,
    })
    return httpTurn({
      client,
      progressMs: options.progressMs,
      firstByteMs: options.firstByteMs,
      backend: name,
      path: pathOf(model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
      ...attempt(),
      stream,
      signal: context.signal,
      tap: context.tap,
      ...(storedIds ? { onJson: (text: string) => storedIds.see(caller.key, text) } : {}),
      onAnswerHeaders: (given) => context.onAnswerHeaders?.('gemini', given),
      toError: fromGeminiError,
      cure(error) {
        if (!sent.correct(error)) return undefined
        reader = createReader()
        return attempt()
      },
      // Kept before the batch is sent: the client may reply immediately.
      onEvents(events) {
        keepSignatures(events, reader, (call, signature) => memory.kept.keep(caller, model, call, signature))
        return fitting.back(events)
      },
    })
  }

  async function countTokens(request: TurnRequest, context: TurnContext): Promise<number | undefined> {
    const { sent } = open(request, { ...context, mayOpenLane: true })
    const path = pathOf(request.model, 'countTokens')
    const body = countBody(request.model, sent.text().toString())
    const asked = { client, backend: name, path, headers, body, signal: context.signal }
    const { json } = await askJson({ ...asked, toError: fromGeminiError })
    return totalOf(json)
  }

  return {
    kind: 'gemini',
    dialects: [dialect],
    toolFacts: () => ({ limit: mostTools }),
    run,
    models: (signal) => listGeminiModels({ client, backend: name, headers, signal }, `${prefix}/models`),
    countTokens,
    close: () => client.close(),
  }
}

const laneOf = (stream: boolean) => ({ dialect, form: stream ? 'message' : 'answer' }) as const

type MadeCall = ReturnType<typeof asMade>

function keepSignatures(
  events: readonly TurnEvent[],
  reader: GeminiReader,
  keep: (call: MadeCall, signature: string) => void,
): void {
  for (const event of events) {
    if (event.type !== 'tool-call-end') continue
    const call = asMade(event)
    const signature = reader.signatureOf(call.callId)
    if (signature !== undefined) keep(call, signature)
  }
}

const countBody = (model: string, text: string) =>
  `{"generateContentRequest":{"model":${JSON.stringify(`models/${model}`)},${text.trimStart().slice(1)}}`

function totalOf(json: unknown): number | undefined {
  const count = isObject(json) ? json.totalTokens : undefined
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined
}

export const nameRules: NameRules = {
  longest: 128,
  isOwn: ({ origin }) => origin.dialect === dialect,
  isGood: (name) => /^[A-Za-z_][A-Za-z0-9_.:-]*$/.test(name),
}

/** A name with a folder, as `tunedModels/x`, is a path of its own. */
function pathOf(model: string, verb: string): string {
  checkModelInPath(model)
  const parts = (model.includes('/') ? model : `models/${model}`).split('/')
  return `${prefix}/${parts.map(encodeURIComponent).join('/')}:${verb}`
}
