// Portkey's gateway (npm: @portkey-ai/gateway): a Chat API in front of many providers, in Node. Started as its README starts it,
// with --headless, which leaves out its page of logs. With the @hono/node-server that npm takes for it today, every stream is a
// 500 ("TypeError: immutable", Portkey-AI/gateway#1389); 1.14.1 is the last one with which it streams.
//
// POST /v1/chat/completions with a Chat body, and these headers (portkeyHeaders):
//   x-portkey-provider      anthropic or openai
//   x-portkey-custom-host   UPSTREAM/v1: it calls /messages or /chat/completions below it. 127.0.0.1 is trusted by default.
//   authorization           Bearer KEY: sent on as it is to openai, as x-api-key to anthropic
import { join } from 'node:path'
import { provideNpmPackage } from './npm-package.mjs'
import { freePort, say, startProgram } from './process.mjs'

const name = '@portkey-ai/gateway'
const version = '1.15.2'
const overrides = { '@hono/node-server': '1.14.1' }

export async function startPortkey({ upstream, folder, core }) {
  const installed = provideNpmPackage(name, version, overrides)
  if (installed === undefined) return undefined
  const port = await freePort()
  const args = [join(installed, 'build', 'start-server.js'), '--headless', `--port=${port}`]
  try {
    const running = await startProgram({
      command: process.execPath,
      args,
      port,
      log: join(folder, 'portkey.log'),
      core,
    })
    return { name: 'portkey', version, ...running, recipes: recipes(upstream) }
  } catch (error) {
    say(`bench: without Portkey: ${error.message}`)
    return undefined
  }
}

/** `backend`: `anthropic` or `openai`. */
export const portkeyHeaders = (backend, upstream) => ({
  authorization: 'Bearer bench',
  'x-portkey-provider': backend,
  'x-portkey-custom-host': `${upstream}/v1`,
})

const recipes = (upstream) =>
  ['anthropic', 'openai'].map((backend) => ({
    door: 'chat',
    backend,
    path: '/v1/chat/completions',
    headers: portkeyHeaders(backend, upstream),
  }))
