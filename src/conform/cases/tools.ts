// The tools that cases offer.

import type { Tool } from '../answer.ts'

const string = { type: 'string' }

export const weather: Tool = {
  name: 'get_weather',
  description: 'The weather in a city.',
  schema: { type: 'object', properties: { city: string }, required: ['city'] },
}

export const read: Tool = {
  name: 'read',
  description: 'Read a file.',
  schema: { type: 'object', properties: { path: string }, required: ['path'] },
}

export const write: Tool = {
  name: 'write',
  description: 'Write a file.',
  schema: { type: 'object', properties: { path: string, content: string }, required: ['path', 'content'] },
}

export const now: Tool = { name: 'now', description: 'The time.', schema: { type: 'object', properties: {} } }

export const tools: readonly Tool[] = [read, write, weather, now]

export const github = (path: string) => `https://github.com/${path}`
