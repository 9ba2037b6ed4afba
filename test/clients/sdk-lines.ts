// The official SDKs in both major lines that are in use, newest first. openai 7 asks for Node 22 and runs on Node 20 all the same.

import Anthropic from '@anthropic-ai/sdk'
import { Stream as AnthropicStream } from '@anthropic-ai/sdk/streaming'
import { VERSION as anthropicVersion } from '@anthropic-ai/sdk/version'
import Anthropic0 from 'anthropic-sdk-0'
import { Stream as Anthropic0Stream } from 'anthropic-sdk-0/streaming'
import { VERSION as anthropic0Version } from 'anthropic-sdk-0/version'
import OpenAI from 'openai'
import { Stream as OpenAIStream } from 'openai/streaming'
import { VERSION as openaiVersion } from 'openai/version'
import OpenAI7 from 'openai-7'
import { Stream as OpenAI7Stream } from 'openai-7/streaming'
import { VERSION as openai7Version } from 'openai-7/version'

export interface SdkLine<Sdk> {
  name: string
  Sdk: Sdk
  /** The events of a stream, by the SDK's own reader. */
  events(response: Response): AsyncIterable<unknown>
}

interface StreamReader {
  fromSSEResponse(response: Response, controller: AbortController, client: never): AsyncIterable<unknown>
}

/** Streams that tests cut on purpose need no log lines. */
const quiet = { logLevel: 'off', logger: console } as never

const eventsBy = (reader: StreamReader) => (response: Response) =>
  reader.fromSSEResponse(response, new AbortController(), quiet)

// Private fields make TypeScript tell the classes of two lines apart; what is called here is the same in both.
export const openaiLines: readonly [SdkLine<typeof OpenAI>, ...SdkLine<typeof OpenAI>[]] = [
  {
    name: `openai ${openai7Version}`,
    Sdk: OpenAI7 as unknown as typeof OpenAI,
    events: eventsBy(OpenAI7Stream),
  },
  { name: `openai ${openaiVersion}`, Sdk: OpenAI, events: eventsBy(OpenAIStream) },
]

export const anthropicLines: readonly [SdkLine<typeof Anthropic>, ...SdkLine<typeof Anthropic>[]] = [
  { name: `@anthropic-ai/sdk ${anthropicVersion}`, Sdk: Anthropic, events: eventsBy(AnthropicStream) },
  {
    name: `@anthropic-ai/sdk ${anthropic0Version}`,
    Sdk: Anthropic0 as unknown as typeof Anthropic,
    events: eventsBy(Anthropic0Stream),
  },
]
