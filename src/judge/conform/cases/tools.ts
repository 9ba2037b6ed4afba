// The tools of the cases.

import type { Tool } from '../../clients/answer.ts'

const string = { type: 'string' }

/** A tool that any model with tools can call. */
export const readFile: Tool = {
  name: 'read_file',
  description: 'Read a file of the project.',
  schema: { type: 'object', properties: { path: string }, required: ['path'] },
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

export const tools: readonly Tool[] = [read, write, readFile, now]

export const github = (path: string) => `https://github.com/${path}`
