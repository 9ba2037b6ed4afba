// The state that workers share, kept by their parent, and the channel to each worker.

import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MemoryStore } from '../../cluster/memory-store.ts'
import { RotatingFile } from '../../observe/rotating-file.ts'
import { CommandError } from '../command-error.ts'
import { Channel, RemoteError } from './channel.ts'
import type { Handout, Taker } from './connection-handout.ts'
import { peerAddress } from './peer-address.ts'
import {
  connectionMessage,
  type Orders,
  type ParentServices,
  type PlainOptions,
  type WorkerServices,
} from './services.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import type { WorkerEnd, WorkerProcess } from './worker-pool.ts'

const program = fileURLToPath(new URL('./worker.js', import.meta.url))
/** The time between an order to end at once and a kill. */
export const endMs = 1_000

export interface SharedOptions {
  gateway: PlainOptions
  /** The URL for clients. */
  url: string
  handout: Handout<Socket>
  /** The number of running workers. */
  size(): number
}

export class SharedState {
  readonly metrics: WorkerMetrics
  readonly #options: SharedOptions
  readonly #store = new MemoryStore()
  readonly #files: ReadonlyMap<string, RotatingFile>
  /** Created at each start; only parent and workers know it. */
  readonly #peerSecret = randomBytes(32).toString('base64url')

  constructor(options: SharedOptions) {
    const { usageFile, auditFile } = options.gateway
    this.#options = options
    this.metrics = new WorkerMetrics(options.size)
    const paths = [usageFile, auditFile].filter((path) => path !== undefined)
    this.#files = new Map(paths.map((path) => [path, new RotatingFile(path)]))
  }

  /** Starts a process as the worker of this number. */
  spawn(number: number): WorkerProcess {
    const { handout } = this.#options
    const child = fork(program)
    const announced = new Set<string>()
    const taker: Taker<Socket> = {
      hand: (socket) =>
        void child.send(connectionMessage, socket, { keepOpen: true }, (error) => {
          if (error) handout.gone(taker)
        }),
    }
    const metrics = this.metrics.add(() => channel.call('snapshot'))
    const channel = new Channel<WorkerServices>(portOf(child), {
      taken: () => handout.taken(taker),
      leave: () => handout.leave(taker),
      run: (name, key, ...values) => {
        if (name === 'announce') announced.add(key)
        return this.#store.run(name, key, ...values)
      },
      read: (key, maxBytes) => this.#store.read(key, maxBytes),
      delete: (key) => this.#store.delete(key),
      append: async (path, text) => this.#files.get(path)?.append(text),
      renderMetrics: () => this.metrics.render(),
      retire: metrics.retire,
    } satisfies ParentServices)
    const ended = endOf(child)
    const died = ended.then((end): never => {
      handout.gone(taker)
      channel.close()
      metrics.gone()
      // Other instances need not find out by calling it.
      for (const key of announced) void this.#store.delete(key)
      throw new CommandError(diedEarly(end))
    })
    const started = channel.call('start', this.#ordersFor(number)).catch((error: Error) => {
      if (error instanceof RemoteError) throw error
      return died
    })
    const ready = Promise.race([started, died]).then((url) => {
      handout.join(taker)
      return url
    })
    return {
      ...{ pid: child.pid, ready, ended },
      stop: (reason) => channel.tell('stop', reason),
      end(code) {
        channel.tell('end', code)
        const timer = setTimeout(() => child.kill('SIGKILL'), endMs)
        void ended.then(() => clearTimeout(timer))
      },
    }
  }

  #ordersFor(worker: number): Orders {
    const { gateway, url } = this.#options
    const { config } = gateway
    const { listen, url: peerUrl } = peerAddress(config, worker)
    return {
      ...{ worker, url, peerListen: listen, peerSecret: this.#peerSecret },
      gateway: { ...gateway, config: { ...config, sessions: { ...config.sessions, peerUrl } } },
    }
  }
}

const portOf = (child: ChildProcess) => ({
  // The exit event reports a worker that has just died.
  send: (message: unknown) => void child.send(message as object, undefined, undefined, () => undefined),
  onMessage: (listener: (message: unknown) => void) => void child.on('message', listener),
})

const endOf = (child: ChildProcess) =>
  new Promise<WorkerEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: 1, signal: null }))
  })

const diedEarly = ({ code, signal }: WorkerEnd) =>
  `A worker ended before it could serve (${signal ?? `exit code ${code}`}).`
