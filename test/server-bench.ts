// Gateways in front of simulators that stand for services by name. The gateway decides by a backend's host name, so requests
// go to that name, by a proxy that leads every name to its simulator.

import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { type OpenAISimOptions, type ServerName, startOpenAISim } from '../sim/openai.ts'
import type { Sim } from '../sim/server.ts'
import type { Gateway } from '../src/gateway.ts'
import { startGateway, upstreamKey } from './harness.ts'

export interface Served {
  server: ServerName
  /** As people write it into their configuration, without TLS. */
  baseUrl: string
  /** More settings of the backend. */
  settings?: Record<string, unknown>
  sim?: OpenAISimOptions
}

export interface ServerBench {
  url: string
  gateway: Gateway
  sims: Record<string, Sim>
  /** Every line that was logged. */
  logs: string[]
  close(): Promise<void>
}

/** Where each server is found. Those without a name of their own are recognised by nothing. */
export const addresses: Record<ServerName, string> = {
  openai: 'http://api.openai.com/v1',
  azure: 'http://res.openai.azure.com/openai/v1',
  'azure-classic': 'http://res.openai.azure.com/openai/deployments/gpt',
  openrouter: 'http://openrouter.ai/api/v1',
  groq: 'http://api.groq.com/openai/v1',
  cerebras: 'http://api.cerebras.ai/v1',
  xai: 'http://api.x.ai/v1',
  mistral: 'http://api.mistral.ai/v1',
  deepseek: 'http://api.deepseek.com',
  moonshot: 'http://api.moonshot.ai/v1',
  'kimi-code': 'http://api.kimi.com/coding/v1',
  zai: 'http://api.z.ai/api/paas/v4',
  dashscope: 'http://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  gemini: 'http://generativelanguage.googleapis.com/v1beta/openai',
  together: 'http://api.together.xyz/v1',
  fireworks: 'http://api.fireworks.ai/inference/v1',
  minimax: 'http://api.minimax.io/v1',
  deepinfra: 'http://api.deepinfra.com/v1/openai',
  nim: 'http://integrate.api.nvidia.com/v1',
  vllm: 'http://box.example:8000/v1',
  sglang: 'http://box.example:30000/v1',
  'llama.cpp': 'http://box.example:8080/v1',
  ollama: 'http://box.example:11434/v1',
  'lm-studio': 'http://box.example:1234/v1',
  litellm: 'http://box.example:4000/v1',
}

export async function startServers(backends: Record<string, Served>): Promise<ServerBench> {
  const ports = new Map<string, number>()
  const proxy = await startProxy((target) => ports.get(target))
  const sims: Record<string, Sim> = {}
  const settings: Record<string, unknown> = {}
  for (const [name, { server, baseUrl, settings: more, sim: options }] of Object.entries(backends)) {
    const url = new URL(baseUrl)
    const sim = await startOpenAISim({ apiKey: upstreamKey, server, names: [url.host], ...options })
    const target = `${url.hostname}:${url.port || 80}`
    if (ports.has(target)) throw new Error(`${target} is taken`)
    ports.set(target, sim.port)
    sims[name] = sim
    settings[name] = { kind: 'openai', baseUrl, apiKey: upstreamKey, connect: { proxy: proxy.url }, ...more }
  }
  const { gateway, url, logs } = await startGateway({ backends: settings })
  return {
    url,
    logs,
    gateway,
    sims,
    async close() {
      await gateway.close()
      await Promise.all([proxy.close(), ...Object.values(sims).map((sim) => sim.close())])
    },
  }
}

/** For all tests of a file. */
export function useServers(backends: Record<string, Served>): ServerBench {
  const bench = {} as ServerBench
  beforeAll(async () => void Object.assign(bench, await startServers(backends)))
  afterAll(() => bench.close())
  return bench
}

async function startProxy(portOf: (target: string) => number | undefined) {
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => void response.writeHead(405).end())
  server.on('connect', (request, client: Socket) => {
    const port = portOf(request.url ?? '')
    if (port === undefined) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
