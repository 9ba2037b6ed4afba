// Tools that several tasks share, and helpers to define tasks.

import type { Input, Message, Tool, ToolReply } from '../task.ts'

export const user = (text: string): Message => ({ role: 'user', text })

export const object = (
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): Tool['schema'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const string = (description: string) => ({ type: 'string', description })

export const getWeather: Tool = {
  name: 'get_weather',
  description: 'The current weather of one city.',
  schema: object({ city: string('Name of the city, without the country') }),
}

export const readFile: Tool = {
  name: 'read_file',
  description: 'Reads a text file and returns its content.',
  schema: object({ path: string('Path of the file, relative to the project') }),
}

export const writeFile: Tool = {
  name: 'write_file',
  description: 'Writes a text file; what was in it before is replaced.',
  schema: object({
    path: string('Path of the file, relative to the project'),
    content: string('The whole content of the file, exactly as it shall be'),
  }),
}

export const listFiles: Tool = {
  name: 'list_files',
  description: 'Lists the names of the files in a folder.',
  schema: object({ path: string('Path of the folder; "." is the project') }),
}

export const getTime: Tool = {
  name: 'get_time',
  description: 'The current time. It takes no arguments.',
  schema: object({}),
}

const weather: Record<string, string> = {
  oslo: 'Oslo: 7 C, light rain, wind 4 m/s',
  lima: 'Lima: 19 C, fog, wind 2 m/s',
  cairo: 'Cairo: 31 C, clear, wind 3 m/s',
}

export function weatherOf(input: Input): ToolReply {
  const city = String(input.city ?? '').toLowerCase()
  const known = Object.keys(weather).find((name) => city.includes(name))
  return known === undefined
    ? { error: `no station in ${JSON.stringify(input.city)}` }
    : (weather[known] as string)
}

/** Replies with a file's content by its name. */
export function fileReply(files: Record<string, string>, input: Input): ToolReply {
  const name = String(input.path ?? '').replace(/^\.\//, '')
  return Object.hasOwn(files, name)
    ? (files[name] as string)
    : { error: `file not found: ${name}. There is: ${Object.keys(files).join(', ')}` }
}

export const written = (input: Input): ToolReply =>
  `wrote ${Buffer.byteLength(String(input.content ?? ''))} bytes to ${input.path}`
