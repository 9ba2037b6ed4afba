// Runs one program by its argument list: with only the given environment, within its limits, and with an end in every case.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, writeFileSync } from 'node:fs'
import { constants as osConstants } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { CappedOutput, type StreamName } from './capped-output.ts'
import { childStdio, openPipes } from './output-pipe.ts'
import { childrenOf, descendants, signalAll, signalOne, taskCount, withEnvironment } from './process-tree.ts'
import type { TaskGroup } from './task-group.ts'

interface Program {
  argv: readonly string[]
  cwd: string
  /** The complete environment: nothing of this process's is added. */
  env: Readonly<Record<string, string>>
  limits: ProgramLimits
  /** Its processes are in a PID namespace, so they end with the first one. */
  contained: boolean
  /** The task group of its processes; `argv` joins it. */
  group?: TaskGroup
  signal?: AbortSignal
  onOutput?(chunk: string, stream: StreamName): void
}

interface ProgramLimits {
  timeoutMs: number
  /** For both streams together; the beginning is kept. */
  outputBytes: number
  maxProcesses: number
  /** Between SIGTERM and SIGKILL. */
  graceMs: number
}

type EndedBy = 'time' | 'flood' | 'processes' | 'caller'

export interface ProgramEnd {
  stdout: string
  stderr: string
  /** 128 plus the signal number if a signal ended it. */
  exitCode: number
  truncated: boolean
  /** Why the gateway ended it. */
  endedBy?: EndedBy
}

/** How much output, in budgets, is read and dropped before it counts as a flood. */
const floodFactor = 32
const watchEveryMs = 25
/** Independent of the number of tasks. */
const lookCloserEveryMs = 1000
/** An undetected process may hold the pipe open. */
const quietMs = 300
/** A process that survives SIGKILL hangs in the kernel. */
const hopelessMs = 3000

/** Rejects only if the program cannot be started. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const mark = `DRAGOMAN_COMMAND=${randomUUID()}`
  const { child, readers } = await start(program, mark)
  const pid = child.pid
  if (pid === undefined) throw await failureOf(child)
  return new Run({ program, child, pid, readers, mark }).end
}

/** Runs that must be killed when this process exits. */
const running = new Set<Run>()

function endAllAtExit(): void {
  for (const run of running) run.kill()
}

const failureOf = (child: ChildProcess) => new Promise<Error>((resolve) => child.once('error', resolve))

async function start({ argv: [file = '', ...args], cwd, env, contained }: Program, mark: string) {
  const pipes = await openPipes(2)
  const { stdio, close } = childStdio([pipes?.[0]?.writer ?? 'pipe', pipes?.[1]?.writer ?? 'pipe'])
  const [name = '', value = ''] = mark.split('=')
  try {
    // Its own process group and session, without a terminal.
    const options = { cwd, env: contained ? env : { ...env, [name]: value }, stdio, detached: true }
    const child = spawn(file, args, options)
    if (child.pid !== undefined) endFirst(child.pid)
    else for (const pipe of pipes ?? []) pipe.reader.destroy()
    return { child, readers: { stdout: readerOf(0), stderr: readerOf(1) } }
    function readerOf(index: 0 | 1): Readable {
      return pipes?.[index]?.reader ?? ((index === 0 ? child.stdout : child.stderr) as Readable)
    }
  } finally {
    close()
    for (const pipe of pipes ?? []) closeSync(pipe.writer)
  }
}

/** If memory runs out, the kernel should kill the command and not the gateway. */
function endFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Best effort.
  }
}

interface RunParts {
  program: Program
  child: ChildProcess
  pid: number
  readers: Record<StreamName, Readable>
  mark: string
}

class Run {
  readonly end: Promise<ProgramEnd>
  readonly #parts: RunParts
  readonly #output: CappedOutput
  readonly #tasksBefore = taskCount()
  readonly #exited: Promise<number>
  readonly #timers: NodeJS.Timeout[] = []
  #giveUp: (exitCode: number) => void = () => undefined
  #endedBy: EndedBy | undefined
  #lookedAt = 0
  #lastData = 0

  constructor(parts: RunParts) {
    this.#parts = parts
    const { program, child } = parts
    this.#output = new CappedOutput({
      keepBytes: program.limits.outputBytes,
      floodBytes: program.limits.outputBytes * floodFactor,
      onText: (text, stream) => program.onOutput?.(text, stream),
      onFlood: () => this.#stop('flood'),
    })
    child.on('error', () => undefined)
    this.#exited = new Promise((resolve) => {
      this.#giveUp = resolve
      child.once('exit', (code, signal) => resolve(code ?? 128 + osConstants.signals[signal ?? 'SIGKILL']))
    })
    if (running.size === 0) process.on('exit', endAllAtExit)
    running.add(this)
    this.end = this.#watch().finally(() => {
      running.delete(this)
      if (running.size === 0) process.off('exit', endAllAtExit)
    })
  }

  async #watch(): Promise<ProgramEnd> {
    const { program, readers } = this.#parts
    const { signal, limits } = program
    const closed = Promise.all(
      (['stdout', 'stderr'] as const).map((stream) => this.#collect(readers[stream], stream)),
    )
    const abort = () => this.#stop('caller')
    this.#timers.push(
      setTimeout(() => this.#stop('time'), limits.timeoutMs),
      setInterval(() => this.#countProcesses(), watchEveryMs),
    )
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    const exitCode = await this.#exited
    // A late signal would hit another process with the same number.
    for (const timer of this.#timers) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    this.#sweep()
    await this.#untilQuiet(closed)
    const endedBy = this.#endedBy
    if (endedBy !== undefined) this.#output.remark(this.#why(endedBy), 'stderr')
    const { truncated } = this.#output
    return { ...this.#output.end(), exitCode, truncated, ...(endedBy && { endedBy }) }
  }

  #collect(reader: Readable, stream: StreamName): Promise<void> {
    return new Promise((resolve) => {
      reader.on('data', (chunk: Buffer) => {
        this.#lastData = performance.now()
        this.#output.write(chunk, stream)
      })
      reader.once('error', () => resolve())
      reader.once('close', () => resolve())
    })
  }

  async #untilQuiet(closed: Promise<unknown>): Promise<void> {
    const { readers } = this.#parts
    let open = true
    void closed.then(() => {
      open = false
    })
    const since = performance.now()
    for (
      let waited = 0;
      open && waited < quietMs;
      waited = performance.now() - Math.max(since, this.#lastData)
    )
      await Promise.race([closed, sleep(quietMs / 4)])
    for (const reader of [readers.stdout, readers.stderr]) reader.destroy()
  }

  /** SIGTERM, then SIGKILL, then giving up. */
  #stop(reason: EndedBy): void {
    const { graceMs } = this.#parts.program.limits
    // Cancellation does not wait for the grace period, even one that has begun.
    if (this.#endedBy !== undefined && reason !== 'caller') return
    this.#endedBy ??= reason
    if (reason === 'time') {
      this.#signal('SIGTERM')
      this.#timers.push(setTimeout(() => this.kill(), graceMs))
    } else this.kill()
  }

  kill(): void {
    this.#signal('SIGKILL')
    this.#timers.push(setTimeout(() => this.#giveUp(128 + osConstants.signals.SIGKILL), hopelessMs))
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid, program } = this.#parts
    if (signal !== 'SIGKILL') {
      // The first process of a namespace gets no SIGTERM: its end would kill all others at once.
      if (!program.contained) signalOne(-pid, signal)
      signalAll(
        this.#processes().filter((one) => one !== pid),
        signal,
      )
      return
    }
    if (program.contained) return this.#killNamespace()
    program.group?.kill()
    // The whole group at once: a process that forks faster than it is killed stops forking.
    signalAll([-pid, pid], signal)
    if (!program.group) signalAll(this.#processes(), signal)
  }

  #killNamespace(): void {
    const { pid, program } = this.#parts
    const inits = childrenOf(pid)
    // The whole group, then the first process of the namespace, which ends those that left the group.
    for (const init of inits) signalAll([-init, init], 'SIGKILL')
    // bwrap itself stays to reap them, and then ends: otherwise process 1 inherits them, which may be the gateway.
    program.group?.kill(inits.length > 0 ? pid : undefined)
    if (inits.length === 0) signalOne(pid, 'SIGKILL')
    else this.#timers.push(setTimeout(() => signalOne(pid, 'SIGKILL'), hopelessMs / 2))
  }

  /** Kills leftover processes. A namespace leaves none. */
  #sweep(): void {
    const { pid, program } = this.#parts
    if (program.group) return program.group.kill()
    if (program.contained) return
    signalOne(-pid, 'SIGKILL')
    for (
      let round = 0, left = this.#processes();
      left.length > 0 && round < 5;
      round++, left = this.#processes()
    )
      signalAll(left, 'SIGKILL')
  }

  #processes(atMost?: number): number[] {
    const { pid, program, mark } = this.#parts
    if (program.group) return program.group.members()
    return program.contained ? descendants(pid, atMost) : withEnvironment(mark, atMost)
  }

  #countProcesses(): void {
    const { maxProcesses } = this.#parts.program.limits
    const now = performance.now()
    const grown = taskCount() - this.#tasksBefore > maxProcesses
    if (!grown && now - this.#lookedAt < lookCloserEveryMs) return
    this.#lookedAt = now
    // Two processes belong to the sandbox itself.
    if (this.#processes(maxProcesses + 3).length > maxProcesses + 2) this.#stop('processes')
  }

  #why(reason: EndedBy): string {
    const { limits } = this.#parts.program
    const reasons: Record<EndedBy, string> = {
      time: `ended after ${limits.timeoutMs} ms, the time limit`,
      flood: `ended, for it wrote more than ${limits.outputBytes * floodFactor} bytes`,
      processes: `ended, for it had more than ${limits.maxProcesses} processes at once`,
      caller: 'ended, for the request was canceled',
    }
    return reasons[reason]
  }
}
