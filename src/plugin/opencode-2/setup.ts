// The plugin for OpenCode 2: providers with their models and logins. One failure leaves all else in place: OpenCode would
// switch off the whole plugin.

import { readEnvironment } from '../../config/environment.ts'
import type { HostLevel } from '../host.ts'
import { refuseForeignOptions } from '../option-source.ts'
import { parseOptions } from '../options.ts'
import { anthropic, configured, cursor, openai, type ProviderKind } from '../providers.ts'
import { createReport, type Report } from '../report.ts'
import { readCredential } from './credentials.ts'
import type { Cleanup, Context } from './host.ts'
import { addLogins } from './logins.ts'
import { ownOrigins } from './own-options.ts'
import { registryOf } from './registry.ts'
import { ServedProvider } from './served-provider.ts'

const kinds: ProviderKind[] = [cursor, anthropic, openai, configured]

export async function setup(context: Context): Promise<Cleanup> {
  const environment = readEnvironment()
  const report = createReport({ app: { log: ({ body }) => toServerLog(body) } })
  const gone = new AbortController()
  const options = () => {
    const given = context.options ?? {}
    const options = parseOptions(given)
    refuseForeignOptions(options, {
      given,
      config: { plugin_origins: ownOrigins(environment) },
      environment,
    })
    return options
  }
  const login = { options, environment, report, signal: gone.signal }
  const providers = kinds.map(
    (kind) =>
      new ServedProvider({
        kind,
        directory: context.location?.directory ?? process.cwd(),
        environment,
        report,
        options,
        credential: () => readCredential(context, kind.id),
      }),
  )
  // Logins first: a variable counts as a credential only after its method is known.
  for (const kind of kinds)
    await attempt(report, `logins of ${kind.id}`, () =>
      context.integration?.transform?.((editor) =>
        guarded(report, `logins of ${kind.id}`, () => addLogins(editor, kind, login)),
      ),
    )
  await Promise.all(providers.map((provider) => provider.refresh()))
  const registry = registryOf(context)
  for (const provider of providers) {
    const { id: providerID } = provider.kind
    await attempt(report, providerID, () =>
      registry?.change((draft) => guarded(report, providerID, () => provider.register(draft))),
    )
    await attempt(report, `sessions of ${providerID}`, () =>
      context.session?.hook?.('model.request', nameSession, { providerID }),
    )
  }
  // Not awaited: it ends with the host's events.
  void watch(context, gone.signal, async () => {
    const changed = await Promise.all(providers.map((provider) => provider.refresh()))
    if (changed.includes(true)) await attempt(report, 'the list', () => registry?.reload())
  })
  return async () => {
    gone.abort()
    await Promise.all(providers.map((provider) => provider.close()))
  }
}

/** Cursor's sessions are kept apart by OpenCode's. */
function nameSession({ sessionID, headers }: { sessionID?: string; headers?: Record<string, string> }): void {
  if (sessionID !== undefined && headers) headers['x-session-id'] ??= sessionID
}

/** Calls back after each event that may come from a login or logout. */
async function watch({ event }: Context, signal: AbortSignal, changed: () => Promise<void>): Promise<void> {
  try {
    for await (const { type } of event?.subscribe?.({ signal }) ?? [])
      if (/^(?:credential|integration)\./.test(String(type))) await changed()
  } catch {
    // Without events a login counts from the next start on.
  }
}

async function attempt(report: Report, what: string, work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    report.problem(`${what}: OpenCode does not take it: ${(error as Error)?.message ?? error}`)
  }
}

function guarded(report: Report, what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    report.problem(`${what}: OpenCode does not take it: ${(error as Error)?.message ?? error}`)
  }
}

/** Version 2 has no other way to its log for a plugin. */
function toServerLog({ level, message }: { level: HostLevel; message: string }): void {
  if (level !== 'warn' && level !== 'error') return
  // biome-ignore lint/suspicious/noConsole: OpenCode's server writes it to its log, not to the screen.
  console[level](`dragoman: ${message}`)
}
