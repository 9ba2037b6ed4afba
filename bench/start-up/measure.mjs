// One start, measured from the call of spawn. CPU time is the kernel's count of all threads.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const idleMs = 5_000
const patienceMs = 30_000

/** Readiness, /healthz, then ten turns: the first may still load code. */
export async function measureStart(one) {
  if (!one.ready) return measureRun(one)
  const started = await start(one)
  try {
    const { url, readyMs, ready } = started
    await ask(`${url}/healthz`)
    const answeredMs = performance.now() - started.at
    if (!one.model) return { readyMs, answeredMs, cpuMs: ready.cpuMs, rssMb: ready.rssMb }
    const turnsMs = []
    for (let count = 0; count < 10; count++) turnsMs.push(await turn(url, one.model))
    return {
      readyMs,
      answeredMs,
      cpuMs: ready.cpuMs,
      rssMb: ready.rssMb,
      firstTurnMs: turnsMs[0],
      secondTurnMs: turnsMs[1],
      tenthTurnMs: turnsMs[9],
      askedMb: footprint(started.child.pid).rssMb,
    }
  } finally {
    await stop(started.child)
  }
}

/** Ready, then idle. */
export async function measureIdle(one) {
  const { child } = await start(one)
  try {
    await sleep(idleMs)
    const { cpuMs, rssMb } = footprint(child.pid)
    return { cpuMs, rssMb }
  } finally {
    await stop(child)
  }
}

/** A command that exits. */
async function measureRun({ args, env }) {
  const at = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return { readyMs: performance.now() - at }
}

async function start({ args, env, ready: readyLine }) {
  const at = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
      const found = readyLine.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
    setTimeout(() => child.kill('SIGKILL'), patienceMs).unref()
  })
  const readyMs = performance.now() - at
  return { at, child, url, readyMs, ready: footprint(child.pid) }
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function footprint(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    .reduce((sum, line) => sum + Number(line.split(' ')[0]), 0)
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]
  return { cpuMs: nanoseconds / 1e6, rssMb: Number(kilobytes) / 1024 }
}

async function turn(url, model) {
  const at = performance.now()
  await ask(`${url}/v1/chat/completions`, { model, messages: [{ role: 'user', content: 'Hello?' }] })
  return performance.now() - at
}

function ask(url, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', headers, agent: false },
      (response) => {
        response.resume().on('error', reject)
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${response.statusCode}`)),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
