// The official SDKs in both major lines that are in use. openai 7 asks for Node 22 and runs on Node 20 all the same.

import Anthropic from '@anthropic-ai/sdk'
import { VERSION as anthropicVersion } from '@anthropic-ai/sdk/version'
import Anthropic0 from 'anthropic-sdk-0'
import { VERSION as anthropic0Version } from 'anthropic-sdk-0/version'
import OpenAI from 'openai'
import { VERSION as openaiVersion } from 'openai/version'
import OpenAI7 from 'openai-7'
import { VERSION as openai7Version } from 'openai-7/version'

export interface SdkLine<Sdk> {
  name: string
  Sdk: Sdk
}

// Private fields make TypeScript tell the classes of two lines apart; what is called here is the same in both.
export const openaiLines: readonly SdkLine<typeof OpenAI>[] = [
  { name: `openai ${openaiVersion}`, Sdk: OpenAI },
  { name: `openai ${openai7Version}`, Sdk: OpenAI7 as unknown as typeof OpenAI },
]

export const anthropicLines: readonly SdkLine<typeof Anthropic>[] = [
  { name: `@anthropic-ai/sdk ${anthropicVersion}`, Sdk: Anthropic },
  { name: `@anthropic-ai/sdk ${anthropic0Version}`, Sdk: Anthropic0 as unknown as typeof Anthropic },
]
