// The messages of a generateContent request, and its checked body. https://ai.google.dev/api/generate-content

import type { Json } from '../shape.ts'
import { list, type Message, map, message, oneOf } from './proto.ts'

export interface Part extends Json {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: { id?: string; name?: string; args?: Json }
  functionResponse?: { id?: string; name?: string; response?: Json; parts?: Part[] }
}

export interface Content {
  role?: string
  parts?: Part[]
}

export interface Declaration {
  name?: string
  description?: string
  parameters?: Json
  parametersJsonSchema?: Json
}

export interface GeminiRequest {
  contents?: Content[]
  systemInstruction?: Content
  tools?: ({ functionDeclarations?: Declaration[] } & Json)[]
  toolConfig?: {
    functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] }
    includeServerSideToolInvocations?: boolean
  }
  generationConfig?: Json & {
    thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }
    maxOutputTokens?: number
    stopSequences?: string[]
    responseMimeType?: string
    responseSchema?: Json
    responseJsonSchema?: Json
  }
}

const blob: Message = { mimeType: 'string', data: 'string', displayName: 'string' }
const file: Message = { mimeType: 'string', fileUri: 'string', displayName: 'string' }

const partOf = (calls: { hasIds: boolean }): Message => {
  const id: Message = calls.hasIds ? { id: 'string' } : {}
  return {
    text: 'string',
    thought: 'boolean',
    thoughtSignature: 'string',
    inlineData: message(() => blob),
    fileData: message(() => file),
    functionCall: message(() => ({ ...id, name: 'string', args: 'object' })),
    functionResponse: message(() => ({
      ...id,
      name: 'string',
      response: 'object',
      parts: list(message(() => ({ inlineData: message(() => blob), fileData: message(() => file) }))),
      willContinue: 'boolean',
      scheduling: 'string',
    })),
    executableCode: 'object',
    codeExecutionResult: 'object',
    toolCall: 'object',
    toolResponse: 'object',
    videoMetadata: 'object',
    mediaResolution: 'any',
    partMetadata: 'object',
  }
}

/** `parameters` and `responseSchema`: OpenAPI's subset. */
const schema: Message = {
  type: 'string',
  format: 'string',
  title: 'string',
  description: 'string',
  nullable: 'boolean',
  enum: list('string'),
  items: message(() => schema),
  minItems: 'integer',
  maxItems: 'integer',
  properties: map(message(() => schema)),
  required: list('string'),
  minProperties: 'integer',
  maxProperties: 'integer',
  minLength: 'integer',
  maxLength: 'integer',
  pattern: 'string',
  example: 'any',
  default: 'any',
  anyOf: list(message(() => schema)),
  propertyOrdering: list('string'),
  minimum: 'number',
  maximum: 'number',
}

const declaration: Message = {
  name: 'string',
  description: 'string',
  behavior: 'string',
  parameters: message(() => schema),
  parametersJsonSchema: 'any',
  response: message(() => schema),
  responseJsonSchema: 'any',
}

const tool: Message = {
  functionDeclarations: list(message(() => declaration)),
  googleSearch: 'object',
  googleSearchRetrieval: 'object',
  codeExecution: 'object',
  urlContext: 'object',
  fileSearch: 'object',
  computerUse: 'object',
  googleMaps: 'object',
}

const thinkingConfig: Message = {
  includeThoughts: 'boolean',
  thinkingBudget: 'integer',
  thinkingLevel: oneOf('THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
}

const generationConfig: Message = {
  stopSequences: list('string'),
  responseMimeType: 'string',
  responseSchema: message(() => schema),
  responseJsonSchema: 'any',
  responseModalities: list('string'),
  candidateCount: 'integer',
  maxOutputTokens: 'integer',
  temperature: 'number',
  topP: 'number',
  topK: 'integer',
  seed: 'integer',
  presencePenalty: 'number',
  frequencyPenalty: 'number',
  responseLogprobs: 'boolean',
  logprobs: 'integer',
  enableEnhancedCivicAnswers: 'boolean',
  speechConfig: 'object',
  thinkingConfig: message(() => thinkingConfig),
  imageConfig: 'object',
  mediaResolution: 'string',
}

const toolConfig: Message = {
  functionCallingConfig: message(() => ({
    mode: oneOf('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
    allowedFunctionNames: list('string'),
  })),
  retrievalConfig: 'object',
  includeServerSideToolInvocations: 'boolean',
}

export function requestMessage(calls: { hasIds: boolean }): Message {
  const content: Message = { role: 'string', parts: list(message(() => partOf(calls))) }
  return {
    model: 'string',
    contents: list(message(() => content)),
    systemInstruction: message(() => content),
    tools: list(message(() => tool)),
    toolConfig: message(() => toolConfig),
    safetySettings: list(message(() => ({ category: 'string', threshold: 'string' }))),
    generationConfig: message(() => generationConfig),
    cachedContent: 'string',
    serviceTier: 'string',
    continuationToken: 'string',
    labels: map('string'),
  }
}

export const countMessage = (calls: { hasIds: boolean }): Message => ({
  contents: requestMessage(calls).contents ?? 'any',
  generateContentRequest: message(() => requestMessage(calls)),
})
