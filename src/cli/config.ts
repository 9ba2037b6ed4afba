// `dragoman config schema` and `dragoman config check`.

import { isLoopback } from '../base/loopback.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { aliasWords } from '../config/routes.ts'
import { type Config, configJsonSchema } from '../config/schema.ts'
import { readTelemetry } from '../config/telemetry.ts'
import { defaultToolText } from '../config/tool-text.ts'
import { bindProblem } from '../process/bind.ts'
import { CommandError } from '../process/command-error.ts'
import { out, outJson } from '../process/output.ts'
import { tapeFolder } from '../tapes/folder.ts'
import { keyFilePath } from './key-file.ts'

export function printSchema(): void {
  outJson(configJsonSchema())
}

export function check(file: string | undefined): void {
  const environment = readEnvironment()
  const { file: found, config, notes } = loadConfig(file, environment)
  const unsafe = bindProblem(config)
  if (unsafe) throw new CommandError(`${found}: ${unsafe}`, 2)
  const noted = notes.map((note) => `note: ${note}\n`).join('')
  out(`${found}: ok\n${noted}\n${meaning(config, environment).join('\n')}\n`)
}

/** The effective settings, with secrets hidden. */
function meaning(config: Config, environment: Environment): string[] {
  const { host, port } = config.listen
  const who =
    config.auth === 'none'
      ? 'anyone on this machine, with any or no key'
      : config.auth
        ? `clients with one of the keys ${config.auth.keys.map((key) => `"${key.name}" (${key.key.length} characters)`).join(', ')}`
        : `clients with the key in ${keyFilePath(environment.dataFolder)} (created on the first run)`
  return [
    `listens on    ${host}:${port === 0 ? ' any free port' : port}${isLoopback(host) ? ' (this machine only)' : ' (reachable from the network)'}`,
    ...(config.workers > 1 ? [`workers       ${config.workers} processes share the port`] : []),
    `serves        ${who}`,
    `called as     127.0.0.1, [::1], localhost${config.allow.hosts.map((name) => `, ${name}`).join('')}; web pages: ${config.allow.origins.join(', ') || 'none'}`,
    ...Object.entries(config.backends).map(
      ([name, backend]) => `backend       ${name}: ${backendMeaning(backend)}`,
    ),
    ...Object.entries(config.models).map(
      ([alias, target]) => `alias         ${alias} → ${aliasWords(target)}`,
    ),
    `tool calls    arguments ${config.toolArguments}${Object.entries(config.clients)
      .map(([client, { toolArguments, customCalls }]) => {
        const arguments_ = toolArguments ? `, ${toolArguments} for ${client}` : ''
        return customCalls
          ? `${arguments_}, tools that take text as ${customCalls} for ${client}`
          : arguments_
      })
      .join('')}`,
    `sessions      ${sessionsMeaning(config.sessions)}`,
    `stalls        a stream without progress for ${config.sessions.progressMs / 1000} s is aborted`,
    `bodies        up to ${config.limits.bodyBytes} bytes and ${config.limits.bodyValues} values`,
    `local tools   ${execMeaning(config.exec)}`,
    ...(config.telemetry.traces ? [`traces        ${tracesMeaning(config.telemetry, environment)}`] : []),
    `tapes         ${tapesMeaning(config.tapes, environment)}`,
    `inspector     ${config.inspector.enabled ? `on, at /; the newest ${config.inspector.turns} turns, in memory` : 'off'}`,
    `changes       ${config.reload === 'watch' ? 'taken over when the file changes' : 'taken over on SIGHUP and by `dragoman reload`'}`,
    `log           ${config.log.level}, to stderr, ${logForms[config.log.format]}`,
  ]
}

const logForms: Record<Config['log']['format'], string> = {
  auto: 'to read on a terminal, else as JSON',
  pretty: 'to read',
  json: 'as JSON',
}

function tapesMeaning({ record, folder }: Config['tapes'], environment: Environment): string {
  if (record === 'off') return 'off: nothing is recorded'
  const which = record === 'all' ? 'every turn' : 'each turn that its client wants recorded'
  return `${which}, with all its content, in ${folder ?? tapeFolder(environment)}`
}

function tracesMeaning(telemetry: Config['telemetry'], { variable }: Environment): string {
  const settings = readTelemetry(telemetry, variable)
  if (!settings) return 'off: OTEL_SDK_DISABLED is set'
  const { url, resource, sampler, ratio } = settings
  return [
    `to ${url} as ${resource['service.name']}`,
    sampler.endsWith('ratio') ? `${sampler} ${ratio}` : sampler,
    `${telemetry.content ? 'with' : 'without'} content`,
    ...(telemetry.propagate ? ['trace context sent upstream'] : []),
  ].join(', ')
}

function execMeaning({ enabled, root, tools, shell, network, timeoutMs }: Config['exec']): string {
  if (!enabled) return 'off: the gateway runs nothing'
  const place = shell === 'sandbox' ? `in a sandbox ${network ? 'with' : 'without'} network` : 'unconfined'
  const commands = tools.includes('shell') ? `; commands ${place}, for up to ${timeoutMs / 1000} s` : ''
  return `${tools.join(', ')} in ${root}, for clients that send none${commands}`
}

function sessionsMeaning({ reuse, max, idleMs, redis }: Config['sessions']): string {
  if (!reuse) return 'not kept'
  const shared = redis === undefined ? '' : `; found by other instances over ${redisPlace(redis)}`
  return `kept between tool calls, up to ${max}, for ${idleMs / 1000} s each${shared}`
}

/** The URL without user name and password. */
const redisPlace = (url: string) => (url.startsWith('unix:') ? url : `Redis at ${new URL(url).host}`)

function backendMeaning(backend: Config['backends'][string]): string {
  const { origin, pathname } = new URL(backend.baseUrl)
  const base = `${backend.kind} at ${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
  const parts = [
    ...kindMeaning(backend, base),
    ...(backend.headers ? [`extra headers ${Object.keys(backend.headers).join(', ')}`] : []),
    ...(backend.connect?.proxy ? [`proxy ${new URL(backend.connect.proxy).host}`] : []),
    ...(backend.connect?.ca ? [`CA file ${backend.connect.ca}`] : []),
  ]
  return parts.join(', ')
}

function kindMeaning(backend: Config['backends'][string], base: string): string[] {
  switch (backend.kind) {
    case 'anthropic':
      return anthropicMeaning(backend, base)
    case 'gemini':
      return [`${base}/v1beta/models`, ...credentialMeaning(backend)]
    case 'openai':
      return [
        `${base}/chat/completions`,
        ...credentialMeaning(backend),
        ...(backend.authHeader === undefined ? [] : [`sent as ${backend.authHeader}`]),
        ...(backend.query === undefined
          ? []
          : [`with ${Object.keys(backend.query).join(', ')} in the address`]),
        `tools ${backend.tools}`,
        ...(backend.tools === 'text' ? [toolTextMeaning(backend.toolText ?? defaultToolText)] : []),
      ]
    case 'qwen-web':
      return [
        `${base} (unofficial)`,
        `token of ${backend.token.length} characters`,
        backend.cookie === undefined ? 'no cookies' : 'with cookies',
        `version ${backend.version}`,
        `thinking ${backend.thinking}`,
        toolTextMeaning(backend.toolText),
        ...(backend.deleteChats ? ['chats are deleted'] : []),
      ]
    case 'cursor':
      return [
        base,
        ...(backend.accounts
          ? poolMeaning(backend)
          : [
              backend.accessToken !== undefined
                ? 'a fixed token'
                : backend.apiKey !== undefined
                  ? keyMeaning(backend.apiKey)
                  : 'key or token from the environment, else the stored login (see `dragoman status`)',
            ]),
        `transport ${backend.transport}`,
        `shown as ${backend.clientType} ${backend.clientVersion}`,
        `privacy mode ${backend.privacy ? 'on' : 'off'}`,
        `history ${backend.history}`,
        ...(backend.checksum === 'off' ? [] : [`checksum of the ${backend.checksum}`]),
        ...(backend.workspace === undefined ? [] : [`workspace ${backend.workspace}`]),
      ]
  }
}

function anthropicMeaning(
  backend: Extract<Config['backends'][string], { kind: 'anthropic' }>,
  base: string,
): string[] {
  const cache = `prompt cache ${backend.promptCache}`
  if (backend.provider === 'vertex') {
    const own =
      backend.keyFile === undefined ? 'application default credentials' : `key file ${backend.keyFile}`
    const credential = backend.accessToken === undefined ? own : 'a fixed token'
    return [`${base}, project ${backend.project} on Vertex`, credential, cache]
  }
  if (backend.provider !== 'bedrock') return [`${base}/v1/messages`, ...credentialMeaning(backend), cache]
  const chain = backend.profile === undefined ? 'credentials of AWS' : `profile ${backend.profile}`
  const signed = backend.accessKeyId === undefined ? chain : 'a fixed access key'
  return [`${base} on Bedrock`, backend.apiKey === undefined ? signed : keyMeaning(backend.apiKey), cache]
}

interface Pooled {
  apiKey?: string | undefined
  accounts?: readonly { name: string }[] | undefined
  pool: { policy: string; failover: string }
}

const credentialMeaning = (backend: Pooled): string[] =>
  backend.accounts ? poolMeaning(backend) : [keyMeaning(backend.apiKey)]

const poolMeaning = ({ accounts = [], pool: { policy, failover } }: Pooled): string[] => [
  `accounts ${accounts.map(({ name }) => name).join(', ')}`,
  ...(accounts.length > 1 ? [`policy ${policy}`, `failover ${failover}`] : []),
]

function toolTextMeaning({ format, formats, tag, secondTry, systemRole = true }: ToolText): string {
  const others = Object.entries(formats).map(([model, other]) => ` (${other} for ${model})`)
  return [
    `calls written in <${tag}> as ${format}${others.join('')}`,
    secondTry ? 'one second try' : 'no second try',
    ...(systemRole ? [] : ['no system messages']),
  ].join(', ')
}

type ToolText = Omit<typeof defaultToolText, 'systemRole'> & { systemRole?: boolean }

const keyMeaning = (key: string | undefined) =>
  key === undefined ? 'no key' : `key of ${key.length} character${key.length === 1 ? '' : 's'}`
