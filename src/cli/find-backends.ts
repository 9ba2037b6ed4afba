// What `dragoman init` finds on this machine: keys in variables, Cursor logins, servers on loopback, installed clients. Nothing is
// sent to another machine, and no key to anyone.

import { isObject } from '../base/json.ts'
import type { Environment } from '../config/environment.ts'
import { cursorEnvironment } from '../credentials/cursor-settings.ts'
import { createLoginStore } from '../credentials/store.ts'
import { type LaunchClientName, launchClientNames } from '../setup/client-names.ts'
import {
  cursorBackend,
  type FoundBackend,
  localBackend,
  type ServerAnswer,
  servicesInVariables,
} from '../setup/found-backends.ts'
import type { LocalServer } from '../setup/known-services.ts'
import { launchClients } from '../setup/launch-clients.ts'
import { installedProgram } from './installed-program.ts'

/** A server on this machine answers at once; one that loads a model may take a moment. */
const patienceMs = 1_500
const mostAnswerBytes = 8 * 1024 * 1024

export async function findBackends(
  environment: Environment,
  servers: readonly LocalServer[],
): Promise<FoundBackend[]> {
  const { variable } = environment
  const [cursor, local] = await Promise.all([
    findCursor(environment),
    Promise.all(servers.map((server) => askServer(server))),
  ])
  const answers = local.flatMap((answer) => answer ?? [])
  return [
    ...cursor,
    ...servicesInVariables(variable),
    ...answers.map((answer) => localBackend(answer, variable)),
  ]
}

async function findCursor(environment: Environment): Promise<FoundBackend[]> {
  const { accessToken, apiKey } = cursorEnvironment(environment)
  if (apiKey) return [cursorBackend('the key in CURSOR_API_KEY')]
  if (accessToken) return [cursorBackend('the token in CURSOR_ACCESS_TOKEN')]
  // A store that cannot be read is for `status` and `doctor` to explain.
  const logins = await createLoginStore(environment.dataFolder)
    .list()
    .catch(() => [])
  const login = logins.find(({ provider }) => provider === 'cursor')
  return login === undefined ? [] : [cursorBackend(`the stored login for ${login.origin}`)]
}

/** Undefined: nothing there, or something else. */
async function askServer(server: LocalServer): Promise<ServerAnswer | undefined> {
  const origin = `http://127.0.0.1:${server.port}`
  const url = `${origin}/v1`
  const answer = await get(`${url}/models`)
  if (answer === undefined || (await isGateway(origin))) return undefined
  if (answer.status === 401) return { server, url }
  const { body } = answer
  if (answer.status !== 200 || !isObject(body)) return undefined
  if (Array.isArray(body.data)) return { server, url, models: body.data.length }
  return body.object === 'list' ? { server, url, models: 0 } : undefined
}

/** A gateway as its own backend would go in circles. */
async function isGateway(origin: string): Promise<boolean> {
  const body = (await get(`${origin}/api/hello`))?.body
  return isObject(body) && body.message === 'hello'
}

async function get(url: string): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
    return { status: response.status, body: await bodyOf(response) }
  } catch {
    return undefined
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > mostAnswerBytes) return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const findClients = (environment: Environment): LaunchClientName[] =>
  launchClientNames.filter((name) => installedProgram(launchClients[name], environment) !== undefined)
