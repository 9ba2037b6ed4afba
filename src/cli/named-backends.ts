// The backends of `dragoman init --backend KIND[=URL]`: a service by its name, a local server by its name, or any address.

import { nearest } from '../base/nearest.ts'
import { CommandError } from '../process/command-error.ts'
import {
  backendAt,
  cursorBackend,
  type FoundBackend,
  localBackend,
  namedService,
} from '../setup/found-backends.ts'
import { hostedServices, localServers } from '../setup/known-services.ts'

type Variable = (name: string) => string | undefined

const names = [
  'cursor',
  'anthropic',
  ...hostedServices.map(({ name }) => name).filter((name) => name !== 'claude'),
  ...localServers.map(({ name }) => name),
]

export const namedBackends = (words: readonly string[], variable: Variable): FoundBackend[] =>
  words.map((word) => namedBackend(word, variable))

export function namedBackend(word: string, variable: Variable): FoundBackend {
  if (/^[\w.-]+:\d+(\/|$)/.test(word))
    throw new CommandError(`An address begins with http:// or https://: http://${word}`, 2)
  const [name = '', ...rest] = word.split('=')
  if (rest.length > 0) return at(name, rest.join('='))
  if (name === 'cursor') return cursorBackend('the command line')
  const service = hostedServices.find((one) => one.name === (name === 'anthropic' ? 'claude' : name))
  if (service) return namedService(service, variable)
  const server = localServers.find((one) => one.name === name)
  if (server) return localBackend({ server, url: `http://127.0.0.1:${server.port}/v1`, models: 0 }, variable)
  const close = nearest(name, names)[0]
  throw new CommandError(
    `"${name}" is not a service that is known by name${close ? `; did you mean ${close}?` : `. These are: ${names.join(', ')}.`} For any other: openai=https://HOST/v1, or anthropic=https://HOST`,
    2,
  )
}

/** A key of its own, if it needs one, is added to the file by hand. */
function at(kind: string, url: string): FoundBackend {
  if (kind !== 'openai' && kind !== 'anthropic')
    throw new CommandError(`Before the address stands its dialect: openai=${url} or anthropic=${url}`, 2)
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    throw new CommandError(`"${url}" is not an address; it begins with http:// or https://`, 2)
  return backendAt(kind, url)
}
