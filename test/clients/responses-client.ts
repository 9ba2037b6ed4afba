// The official openai package as the contract of the Responses door uses it.

import type OpenAI from 'openai'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import type { DoorAnswer, DoorAsk, DoorClient, DoorTurn } from '../contract/door-client.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { clientOf, openaiFailure, optionsOf, pictureOf } from './openai-client.ts'
import type { SdkLine } from './sdk-lines.ts'

export const responsesClient = ({ name, Sdk, events }: SdkLine<typeof OpenAI>): DoorClient => ({
  name,
  conversation: 'input',
  alwaysThinks: true,
  refusesApart: true,
  async ask(url, request) {
    const response = await responseOf(clientOf(Sdk, url, request), request)
    const { output, usage } = response
    const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
    const calls = output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    )
    return {
      text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
      refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
      thinking: output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
        .map(({ text }) => text)
        .join(''),
      calls,
      end: endOf(response, calls.length > 0),
      inputTokens: usage?.input_tokens ?? 0,
      outputTokens: usage?.output_tokens ?? 0,
      native: output,
    }
  },
  events,
  problems: async (response) => (await readResponsesStream(response)).problems,
  failure: (error) => openaiFailure(Sdk, error),
})

function endOf({ status, incomplete_details: cut }: Response, calls: boolean): DoorAnswer['end'] {
  if (status === 'completed') return calls ? 'calls' : 'stop'
  if (status !== 'incomplete') return undefined
  return cut?.reason === 'max_output_tokens' ? 'length' : 'refusal'
}

function responseOf(client: OpenAI, request: DoorAsk): Promise<Response> {
  const { model, turns, tools = [], onText } = request
  const params: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model,
    input: turns.flatMap(toItems),
    store: false,
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: false,
    })),
    ...(request.thinking ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
  }
  if (!request.stream) return client.responses.create(params, optionsOf(request))
  const stream = client.responses.stream({ ...params, stream: true }, optionsOf(request))
  if (onText) stream.once('response.output_text.delta', onText)
  return stream.finalResponse()
}

function toItems(turn: DoorTurn): ResponseInputItem[] {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('answer' in turn) return turn.answer.native as ResponseInputItem[]
  return turn.results.map(({ callId, text, image }) => ({
    type: 'function_call_output',
    call_id: callId,
    output: image
      ? [
          { type: 'input_text', text },
          { type: 'input_image', image_url: pictureOf(image), detail: 'auto' },
        ]
      : text,
  }))
}
