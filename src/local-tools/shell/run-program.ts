// One program, by its argument list, from start to end: it gets nothing but what is given here, it stays within its limits, and
// whatever it does there is an end of which the caller hears.

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

export interface Program {
  argv: readonly string[]
  cwd: string
  /** All of it: nothing of this process's environment is added. */
  env: Readonly<Record<string, string>>
  limits: ProgramLimits
  /** Its first process has the others in a process namespace, so that they end with it. */
  contained: boolean
  /** Where all its processes are; `argv` joins it. */
  group?: TaskGroup
  signal?: AbortSignal
  onOutput?(chunk: string, stream: StreamName): void
}

export interface ProgramLimits {
  timeoutMs: number
  /** Over both streams; the beginning is kept. */
  outputBytes: number
  maxProcesses: number
  /** From the request to end until it is no request any more. */
  graceMs: number
}

export type EndedBy = 'time' | 'flood' | 'processes' | 'caller'

export interface ProgramEnd {
  stdout: string
  stderr: string
  /** 128 and the signal's number where a signal ended it. */
  exitCode: number
  truncated: boolean
  /** Why it was ended from here. */
  endedBy?: EndedBy
}

/** Output that is read and dropped before a program counts as one that will not stop. */
const floodFactor = 32
const watchEveryMs = 25
/** Also where the number of all tasks tells nothing. */
const lookCloserEveryMs = 1000
/** A pipe may be held open by a process that nobody finds. */
const quietMs = 300
/** A process that does not even end by SIGKILL hangs in the kernel. */
const hopelessMs = 3000

/** Rejects only where the program cannot be started at all. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const mark = `DRAGOMAN_COMMAND=${randomUUID()}`
  const { child, readers } = await start(program, mark)
  const pid = child.pid
  if (pid === undefined) throw await failureOf(child)
  return new Run({ program, child, pid, readers, mark }).end
}

/** Those that this process must not leave behind, however suddenly it ends. */
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
    // A group of its own, and no terminal.
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

/** If memory runs out, it is not the gateway that the kernel should end. */
function endFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // A wish: it runs as well without.
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
    // One that came later would meet whoever has the number of the process by then.
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

  /** In order: what is asked, then what is forced, then what is given up. */
  #stop(reason: EndedBy): void {
    const { graceMs } = this.#parts.program.limits
    // Whoever cancels does not wait, also not for the grace of an end that has begun.
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
      // The first process of a namespace takes all with it at once: it is not asked.
      if (!program.contained) signalOne(-pid, signal)
      signalAll(
        this.#processes().filter((one) => one !== pid),
        signal,
      )
      return
    }
    if (program.contained) return this.#killNamespace()
    program.group?.kill()
    // The group in one step: what forks faster than it is killed stops forking.
    signalAll([-pid, pid], signal)
    if (!program.group) signalAll(this.#processes(), signal)
  }

  #killNamespace(): void {
    const { pid, program } = this.#parts
    const inits = childrenOf(pid)
    // The group in one step, then the first process of the namespace, and with it those that left the group.
    for (const init of inits) signalAll([-init, init], 'SIGKILL')
    // bwrap itself reaps them, and then ends: without it they would be left to whoever is process 1 here, maybe the gateway.
    program.group?.kill(inits.length > 0 ? pid : undefined)
    if (inits.length === 0) signalOne(pid, 'SIGKILL')
    else this.#timers.push(setTimeout(() => signalOne(pid, 'SIGKILL'), hopelessMs / 2))
  }

  /** What a command leaves behind. A namespace leaves nothing. */
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
    // Those of the sandbox itself are none of the command's.
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
