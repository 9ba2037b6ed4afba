// `dragoman login cursor`: by browser, or with an API key from standard input. A credential is stored only after it worked.

import { addAbortSignal } from 'node:stream'
import { isLoopback } from '../base/loopback.ts'
import { ConfigError } from '../config/config-error.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findConfigFile, loadConfig } from '../config/load.ts'
import { GatewayError } from '../core/errors.ts'
import { authRequestOver } from '../credentials/auth-http.ts'
import { CredentialRefused, exchangeApiKey, isToken } from '../credentials/cursor-auth.ts'
import { startCursorLogin } from '../credentials/cursor-login.ts'
import {
  type CursorSettings,
  createAuthClient,
  cursorEnvironment,
  cursorSettings,
  defaultCursorSettings,
} from '../credentials/cursor-settings.ts'
import { expiryInWords } from '../credentials/expiry.ts'
import { expiryOf } from '../credentials/jwt.ts'
import { openBrowser } from '../credentials/open-browser.ts'
import { createLoginStore, type Login, type LoginStore, loginName } from '../credentials/store.ts'
import { CommandError } from '../process/command-error.ts'
import { controlFolder, runningGateways } from '../process/control-file.ts'
import { err, out, overwrite } from '../process/output.ts'
import { accountsPath } from '../server/account-routes.ts'
import { askGateway } from './running-gateway.ts'

interface LoginFlags {
  config?: string
  backend?: string
  baseUrl?: string
  websiteUrl?: string
  browser: boolean
  apiKeyStdin?: boolean
  /** The name of the account, for one of several. */
  as?: string
}

interface Session {
  settings: CursorSettings
  environment: Environment
  request: ReturnType<typeof authRequestOver>
  signal: AbortSignal
}

const keyTimeoutMs = 30_000

export async function loginCursor(flags: LoginFlags): Promise<void> {
  const environment = readEnvironment()
  const settings = chosenSettings(flags, environment)
  const store = createLoginStore(environment.dataFolder)
  const account = loginName(flags.as)
  const key = { provider: 'cursor', origin: originOf(settings), account }
  warnUnencrypted(settings)
  warnElsewhere(settings)
  if (account === undefined) notePrecedence(settings, environment)
  const { signal, exitCode } = stopOnSignals()
  const client = connected(settings, environment)
  try {
    await checkStore(store)
    const session = { settings, environment, request: authRequestOver(client, settings.headers), signal }
    const login = flags.apiKeyStdin ? await loginWithKey(session) : await loginWithBrowser(session, flags)
    signal.throwIfAborted()
    await store.update(key, async () => ({ ...login, savedAt: Date.now() }))
    report(login, { origin: key.origin, account, path: store.path })
    if (account !== undefined) await clearAccount(account, environment)
  } catch (error) {
    if (signal.aborted) throw new CommandError('The login was cancelled; nothing was stored.', exitCode())
    throw withoutSetting(toCommandError(error), settings)
  } finally {
    await client.close()
  }
}

/** A running gateway may have given the account up. Those that have no such account say so, which is no problem. */
async function clearAccount(account: string, environment: Environment): Promise<void> {
  const body = { action: 'clear', account }
  const gateways = runningGateways(controlFolder(environment.stateFolder))
  await Promise.all(gateways.map((one) => askGateway(one, accountsPath, { body }).catch(() => undefined)))
}

/** Turns a credential error into a message for the user. */
export const toCommandError = (error: unknown) =>
  error instanceof GatewayError && error.code !== 'internal' ? new CommandError(error.message) : error

/** Cursor's own address is right: the network is not. */
function withoutSetting(error: unknown, { baseUrl }: CursorSettings): unknown {
  if (!(error instanceof CommandError) || !isOwn(baseUrl)) return error
  return new CommandError(error.message.replace('correct "baseUrl" or ', ''), error.exitCode)
}

/** Cursor's own addresses. */
const isOwn = (url: string) => /(?:^|\.)cursor\.(?:com|sh)$/.test(new URL(url).hostname)

const originOf = ({ baseUrl }: CursorSettings) => new URL(baseUrl).origin

function connected(settings: CursorSettings, environment: Environment) {
  try {
    return createAuthClient(settings, environment)
  } catch (error) {
    throw toCommandError(error)
  }
}

/** In this order: --base-url, the named backend, the only backend, Cursor's own address. */
function chosenSettings(flags: LoginFlags, environment: Environment): CursorSettings {
  const configured = configuredBackends(flags, environment)
  const found = chosenBackend(configured, flags) ?? defaultCursorSettings
  return {
    ...found,
    baseUrl: flags.baseUrl ?? found.baseUrl,
    websiteUrl: flags.websiteUrl ?? found.websiteUrl,
  }
}

function configuredBackends(flags: LoginFlags, environment: Environment): CursorSettings[] {
  try {
    if (findConfigFile(flags.config, environment) === undefined) return []
    // This command does not need the keys of other backends.
    return cursorSettings(loadConfig(flags.config, environment, { unset: 'kept' }).config)
  } catch (error) {
    // With an explicit address no configuration is needed, so a broken one does not matter.
    if (error instanceof ConfigError && flags.baseUrl !== undefined && flags.backend === undefined) return []
    throw error
  }
}

function chosenBackend(
  configured: CursorSettings[],
  { backend, baseUrl }: LoginFlags,
): CursorSettings | undefined {
  const names = configured.map(({ name }) => name).join(', ')
  if (backend !== undefined) {
    const found = configured.find(({ name }) => name === backend)
    if (found) return found
    throw new CommandError(
      `"${backend}" is not a backend of kind "cursor" in the configuration${names ? `, which has: ${names}` : ''}.`,
      2,
    )
  }
  if (baseUrl !== undefined)
    return configured.find((settings) => originOf(settings) === new URL(baseUrl).origin)
  if (new Set(configured.map(originOf)).size > 1)
    throw new CommandError(
      `Several Cursor backends have different addresses; choose one with --backend (${names}).`,
      2,
    )
  return configured[0]
}

function warnUnencrypted({ baseUrl }: CursorSettings): void {
  if (isSafe(new URL(baseUrl))) return
  err(`warning: tokens are sent to ${new URL(baseUrl).origin} unencrypted; use https\n`)
}

/** A login from Cursor's website works for Cursor only. */
function warnElsewhere({ baseUrl, websiteUrl }: CursorSettings): void {
  if (isOwn(baseUrl) || !isOwn(websiteUrl)) return
  err(
    `warning: the browser opens ${new URL(websiteUrl).origin}, but the tokens are for ${new URL(baseUrl).origin}; set "websiteUrl" (--website-url)\n`,
  )
}

const isSafe = ({ protocol, hostname }: URL) => protocol === 'https:' || isLoopback(hostname)

/** Checks that a login can be stored before the user starts it. */
async function checkStore(store: LoginStore): Promise<void> {
  await store.list()
  if (await store.isWritable()) return
  throw new CommandError(
    `The login cannot be stored in ${store.path}; set XDG_DATA_HOME to a writable folder.`,
  )
}

async function loginWithBrowser(
  { settings, environment, request, signal }: Session,
  flags: LoginFlags,
): Promise<Login> {
  const progress = createProgress()
  const login = startCursorLogin({
    websiteUrl: settings.websiteUrl,
    request,
    signal,
    onWait: progress.show,
  })
  out(`Open this address in a browser and confirm the login:\n\n  ${login.url}\n\n`)
  if (flags.browser && isSafe(new URL(login.url))) openBrowser(login.url, environment)
  try {
    return await login.tokens()
  } finally {
    progress.clear()
  }
}

async function loginWithKey({ settings, request, signal }: Session): Promise<Login> {
  if (process.stdin.isTTY) err('Paste the API key, then press Enter and Ctrl-D.\n')
  let apiKey = ''
  for await (const text of addAbortSignal(signal, process.stdin).setEncoding('utf8')) apiKey += text
  apiKey = apiKey.trim()
  if (!isToken(apiKey))
    throw new CommandError(
      apiKey === ''
        ? 'Standard input has no API key; run: dragoman login cursor --api-key-stdin < FILE'
        : 'The text on standard input is not an API key.',
      2,
    )
  try {
    const tokens = await exchangeApiKey(apiKey, {
      backend: settings.name,
      request,
      signal: AbortSignal.any([signal, AbortSignal.timeout(keyTimeoutMs)]),
    })
    return { ...tokens, apiKey }
  } catch (error) {
    if (!(error instanceof CredentialRefused)) throw error
    throw new CommandError(
      `${originOf(settings)} refused the API key (HTTP ${error.status}); nothing was stored.`,
    )
  }
}

const quietMs = 60_000

/** On a terminal one line that changes; elsewhere an occasional line. */
function createProgress(): { show: () => void; clear: () => void } {
  const isTTY = process.stderr.isTTY
  const began = Date.now()
  let shownAt = Number.NEGATIVE_INFINITY
  const show = () => {
    const text = `waiting for the browser, ${Math.round((Date.now() - began) / 1000)} s (Ctrl-C stops)`
    if (!isTTY && Date.now() - shownAt < quietMs) return
    shownAt = Date.now()
    if (isTTY) overwrite(text)
    else err(`${text}\n`)
  }
  return { show, clear: () => overwrite('') }
}

function stopOnSignals(): { signal: AbortSignal; exitCode: () => number } {
  const stop = new AbortController()
  let code = 130
  const on = (name: NodeJS.Signals, exitCode: number) =>
    process.once(name, () => {
      code = exitCode
      stop.abort()
    })
  on('SIGINT', 130)
  on('SIGTERM', 143)
  return { signal: stop.signal, exitCode: () => code }
}

function report(
  { accessToken, refreshToken, apiKey, email }: Login,
  where: { origin: string; account: string | undefined; path: string },
) {
  const renewal = (refreshToken ?? apiKey) ? ', then renewed automatically' : ''
  out(
    `Logged in to ${where.origin}${email ? ` as ${email}` : ''}${where.account === undefined ? '' : `, for the account "${where.account}"`}\n` +
      `stored in ${where.path}\n` +
      `valid ${expiryInWords(expiryOf(accessToken), Date.now())}${renewal}\n`,
  )
}

/** Other credentials take precedence over the stored login. */
function notePrecedence(settings: CursorSettings, environment: Environment): void {
  const variables = cursorEnvironment(environment)
  const first =
    (settings.accessToken && `"backends.${settings.name}.accessToken"`) ||
    (settings.apiKey && `"backends.${settings.name}.apiKey"`) ||
    (variables.accessToken && 'CURSOR_ACCESS_TOKEN') ||
    (variables.apiKey && 'CURSOR_API_KEY')
  if (first) err(`note: ${first} is set and takes precedence; remove it to use this login\n`)
}
