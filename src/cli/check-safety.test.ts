import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { checkSafety } from './check-safety.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-safety-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', apiKey: 'sk-123456789' }
const longKey = 'k'.repeat(32)
const keys = { keys: [{ name: 'a', key: longKey }] }

function found(settings: Record<string, unknown>, { mode = 0o600, env = {} } = {}): string[] {
  const file = join(folder, 'dragoman.jsonc')
  writeFileSync(file, JSON.stringify({ backends: { box }, ...settings }))
  chmodSync(file, mode)
  const environment = readEnvironment({ HOME: '/home/me', ...env })
  return checkSafety(loadConfig(file, environment), environment).map(
    ({ check, status, message }) => `${status} ${check}: ${message}`,
  )
}

const redis = { peerSecret: longKey, peerUrl: 'http://10.0.0.1:8080' }
const exec = (more: Record<string, unknown> = {}) => ({ enabled: true, root: '/home/me/project', ...more })

describe('settings that are less safe than the defaults are reported', () => {
  it('the defaults give no finding', () => {
    expect(found({})).toEqual([])
    expect(found({ exec: exec() })).toEqual([])
  })

  it.each([
    ['listen', { listen: { host: '0.0.0.0' }, auth: keys }, 'warning exposure: 0.0.0.0 is reachable'],
    ['listen without a key', { listen: { host: '0.0.0.0' } }, 'problem exposure: Listening on 0.0.0.0'],
    [
      'origins',
      { allow: { origins: ['https://a.example'] } },
      'warning origins: web pages of https://a.example',
    ],
    ['conversations on disk', { sessions: { keep: 'disk' } }, 'warning conversations: '],
    ['tapes', { tapes: { record: 'all' } }, 'warning tapes: every turn is stored on disk'],
    ['the inspector', { inspector: { enabled: true } }, 'warning inspector: conversations are shown'],
    [
      'tapes on request',
      { tapes: { record: 'asked' } },
      'warning tapes: each turn that its client wants recorded is stored',
    ],
    ['log level debug', { log: { level: 'debug' } }, 'warning log: '],
    [
      'a key sent unencrypted',
      { backends: { box: { ...box, baseUrl: 'http://llm.example/v1' } } },
      'warning backend box: its key is sent unencrypted',
    ],
    [
      'conversations in traces',
      { telemetry: { traces: true, content: true, endpoint: 'http://otel.example' } },
      'warning traces: the content of conversations is sent to otel.example ("telemetry.content"), unencrypted',
    ],
    [
      'the key of a collector sent unencrypted',
      { telemetry: { traces: true, endpoint: 'http://otel.example', headers: { 'api-key': 'x' } } },
      'warning traces: their headers are sent to otel.example unencrypted',
    ],
    [
      'Redis without TLS',
      { sessions: { redis: 'redis://:p@r.example:6379', ...redis } },
      'warning redis: the connection is not encrypted',
    ],
    [
      'Redis without a password',
      { sessions: { redis: 'rediss://r.example:6379', ...redis } },
      'warning redis: no password is set',
    ],
    [
      'peers without TLS',
      { sessions: { redis: 'rediss://:p@r.example:6379', ...redis } },
      'warning peers: instances exchange conversations unencrypted',
    ],
    ['local tools without a key', { auth: 'none', exec: exec() }, 'warning local tools: no key is required'],
    [
      'local tools with another host name',
      { allow: { hosts: ['box.example'] }, exec: exec() },
      'warning local tools: "allow" lets callers',
    ],
    [
      'local tools in the home folder',
      { exec: exec({ root: '/home/me' }) },
      'warning local tools: /home/me contains your home',
    ],
    [
      'local tools above the home folder',
      { exec: exec({ root: '/home' }) },
      'warning local tools: /home contains your home',
    ],
    [
      "local tools beside the gateway's keys",
      { exec: exec({ root: '/home/me/.local' }) },
      'warning local tools: /home/me/.local contains the gateway',
    ],
    [
      'a readable folder that does not exist',
      { exec: exec({ readable: ['~/none'] }) },
      'warning local tools: /home/me/none of "exec.readable" does not exist',
    ],
    [
      'local tools that fetch',
      { exec: exec({ tools: ['read', 'fetch'] }) },
      'warning local tools: models may fetch',
    ],
  ])('%s', (_name, settings, expected) => {
    expect(found(settings)).toContainEqual(expect.stringContaining(expected))
  })

  it('a file with keys that other users can read', () => {
    expect(found({}, { mode: 0o644 })[0]).toContain('chmod 600')
    expect(found({ backends: { box: { ...box, apiKey: undefined } } }, { mode: 0o644 })).toEqual([])
    const fromVariable = { backends: { box: { ...box, apiKey: '{env:BOX_KEY}' } } }
    expect(found(fromVariable, { mode: 0o644, env: { BOX_KEY: 'sk-987654321' } })).toEqual([])
  })

  it('certificate checks that are switched off', () => {
    expect(found({}, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })[0]).toContain('problem tls')
  })

  it('the configuration refuses local tools on the network', () => {
    const settings = { listen: { host: '0.0.0.0' }, auth: keys, exec: exec() }
    expect(() => found(settings)).toThrow('exec.enabled: local tools are for programs on this machine only')
  })
})
