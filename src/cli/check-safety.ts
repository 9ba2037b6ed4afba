// Finds settings that make the gateway less safe than its defaults, each with a remedy.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { isLoopback } from '../base/loopback.ts'
import { isInside } from '../base/platform/is-inside.ts'
import { isOpenToOthers } from '../base/platform/owner-only.ts'
import { backendSecrets } from '../config/backend-secrets.ts'
import type { Environment } from '../config/environment.ts'
import { execProblems } from '../config/exec.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { readTelemetry } from '../config/telemetry.ts'
import { bindProblem } from '../process/bind.ts'

/** A result of `dragoman doctor`. */
export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'problem'
  message: string
}

export function checkSafety(loaded: LoadedConfig, environment: Environment): Finding[] {
  const { config } = loaded
  return [
    ...checkExposure(config),
    ...checkBackends(config),
    ...checkRedis(config),
    ...checkTraces(config, environment),
    ...checkFile(loaded),
    ...checkTls(environment),
    ...checkExec(config, environment),
  ]
}

const warning = (check: string, message: string): Finding => ({ check, status: 'warning', message })

function checkExposure(config: Config): Finding[] {
  const { host } = config.listen
  const findings: Finding[] = []
  if (!isLoopback(host)) {
    const unsafe = bindProblem(config)
    const exposed = `${host} is reachable from the network; traffic is not encrypted, put a TLS proxy in front`
    findings.push({ check: 'exposure', status: unsafe ? 'problem' : 'warning', message: unsafe ?? exposed })
  }
  const { origins } = config.allow
  if (origins.length > 0)
    findings.push(
      warning(
        'origins',
        `web pages of ${origins.join(', ')} may call the gateway; list only sites that you run in "allow.origins"`,
      ),
    )
  if (config.sessions.keep === 'disk')
    findings.push(
      warning('conversations', 'conversations are kept on disk for 7 days, in plain files ("sessions.keep")'),
    )
  const { record } = config.tapes
  if (record !== 'off')
    findings.push(
      warning(
        'tapes',
        `${record === 'all' ? 'every turn' : 'each turn that its client wants recorded'} is stored on disk with all its content ("tapes.record")`,
      ),
    )
  if (config.inspector.enabled)
    findings.push(
      warning(
        'inspector',
        'conversations are shown on a page to anyone with a link or a key ("inspector.enabled"); switch it off when done',
      ),
    )
  if (config.log.level === 'debug')
    findings.push(
      warning(
        'log',
        'at level "debug" the log can contain excerpts of conversations; set "log.level" to "info" when done',
      ),
    )
  return findings
}

function checkBackends({ backends }: Config): Finding[] {
  return Object.entries(backends).flatMap(([name, backend]) => {
    const url = new URL(backend.baseUrl)
    const isOpen = url.protocol === 'http:' && !isLoopback(url.hostname) && backendSecrets(backend).length > 0
    return isOpen ? [warning(`backend ${name}`, 'its key is sent unencrypted; use https')] : []
  })
}

function checkRedis({ sessions: { redis, peerUrl } }: Config): Finding[] {
  if (redis === undefined || redis.startsWith('unix:')) return []
  const url = new URL(redis)
  const findings: Finding[] = []
  if (isLoopback(url.hostname)) return []
  if (url.protocol === 'redis:')
    findings.push(warning('redis', 'the connection is not encrypted; use rediss:// or a private network'))
  if (url.password === '')
    findings.push(warning('redis', 'no password is set: anyone who can reach Redis can end all sessions'))
  if (peerUrl?.startsWith('http:') && !isLoopback(new URL(peerUrl).hostname))
    findings.push(
      warning('peers', 'instances exchange conversations unencrypted; keep them in a private network'),
    )
  return findings
}

function checkTraces({ telemetry }: Config, { variable }: Environment): Finding[] {
  const settings = readTelemetry(telemetry, variable)
  if (!settings) return []
  const { hostname, protocol } = new URL(settings.url)
  const isOpen = protocol === 'http:' && !isLoopback(hostname)
  const findings = settings.warnings.map((message) => warning('traces', message))
  if (isOpen && Object.keys(settings.headers).length > 0)
    findings.push(warning('traces', `their headers are sent to ${hostname} unencrypted; use https`))
  if (telemetry.content)
    findings.push(
      warning(
        'traces',
        `the content of conversations is sent to ${hostname} ("telemetry.content")${isOpen ? ', unencrypted' : ''}`,
      ),
    )
  return findings
}

/** A file with a key in it must be readable by its owner only. Keys from variables are not in a file. */
function checkFile({ file, secrets }: LoadedConfig): Finding[] {
  const found = file === undefined ? undefined : statSync(file)
  // A pipe can be read only once.
  if (file === undefined || !found?.isFile() || !isOpenToOthers(found.mode & readable)) return []
  const text = readFileSync(file, 'utf8')
  if (!secrets.some((secret) => secret.length >= shortestSecret && text.includes(secret))) return []
  return [warning('config file', `it contains keys, and other users can read it; run: chmod 600 ${file}`)]
}

const readable = 0o444

/** Shorter values occur in any text. */
const shortestSecret = 6

function checkTls({ variable }: Environment): Finding[] {
  if (variable('NODE_TLS_REJECT_UNAUTHORIZED') !== '0') return []
  return [
    {
      check: 'tls',
      status: 'problem',
      message:
        'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off all certificate checks: keys can be intercepted; unset it, and name your certificate authority in "connect.ca"',
    },
  ]
}

function checkExec(config: Config, { homeFolder, dataFolder }: Environment): Finding[] {
  const { exec, auth, allow } = config
  if (!exec.enabled) return []
  const found = (message: string) => warning('local tools', message)
  const findings = execProblems(config).map(
    (message): Finding => ({ check: 'local tools', status: 'problem', message }),
  )
  if (auth === 'none')
    findings.push(
      found(
        'no key is required: every program and every user of this machine can run tools as you; remove "auth"',
      ),
    )
  if (allow.hosts.length + allow.origins.length > 0)
    findings.push(
      found('"allow" lets callers other than programs of this machine use the gateway and run tools'),
    )
  if (isInside(homeFolder, exec.root))
    findings.push(
      found(
        `${exec.root} contains your home folder, with the private files of your programs; set "exec.root" to one project`,
      ),
    )
  else if (isInside(dataFolder, exec.root))
    findings.push(found(`${exec.root} contains the gateway's own keys; set "exec.root" to one project`))
  for (const path of exec.readable.filter((path) => !existsSync(path)))
    findings.push(found(`${path} of "exec.readable" does not exist`))
  if (exec.tools.includes('fetch'))
    findings.push(
      found('models may fetch web pages, and can send out in the URL what they have read ("exec.tools")'),
    )
  if (exec.tools.includes('shell') && exec.shell === 'unconfined' && process.getuid?.() === 0)
    findings.push(found('commands run unconfined and as root; run the gateway as another user'))
  return findings
}
