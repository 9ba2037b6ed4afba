// The state that workers share, kept by their parent, and the channel to each worker.

import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { isInstanceKey } from '../../cluster/directory.ts'
import { MemoryStore } from '../../cluster/memory-store.ts'
import type { Config } from '../../config/schema.ts'
import type { NextConfig } from '../../gateway.ts'
import type { LoginChange } from '../../inspector/login.ts'
import type { LoginRegistry } from '../../inspector/shared-logins.ts'
import { RotatingFile } from '../../observe/rotating-file.ts'
import type { Control } from '../../server/control.ts'
import { CommandError } from '../command-error.ts'
import { Channel, RemoteError } from './channel.ts'
import type { Handout, Taker } from './connection-handout.ts'
import { type CrewPrepared, CrewTakeover } from './crew-takeover.ts'
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

/** Beside this module in dist/src/chunks. */
const program = fileURLToPath(new URL('./worker.js', import.meta.url))
/** The time between an order to end at once and a kill. */
export const endMs = 1_000
const loginMs = 1_000

export interface SharedOptions {
  gateway: PlainOptions
  /** The URL for clients. */
  url: string
  handout: Handout<Socket>
  /** The number of running workers. */
  size(): number
  /** Of the inspector; undefined if it is off. `tell` reaches all workers. */
  openLogins(tell: (change: LoginChange) => Promise<void>): LoginRegistry | undefined
  control?: Control | undefined
}

export class SharedState {
  readonly metrics: WorkerMetrics
  readonly logins: LoginRegistry | undefined
  readonly #channels = new Set<Channel<WorkerServices>>()
  readonly #options: SharedOptions
  /** In force: every worker that starts gets it. */
  #gateway: PlainOptions
  readonly #takeover = new CrewTakeover()
  readonly #store = new MemoryStore()
  readonly #files: ReadonlyMap<string, RotatingFile>
  /** Created at each start; only parent and workers know it. */
  readonly #peerSecret = randomBytes(32).toString('base64url')

  constructor(options: SharedOptions) {
    const { usageFile, auditFile } = options.gateway
    this.#options = options
    this.#gateway = options.gateway
    this.metrics = new WorkerMetrics(options.size)
    this.logins = options.openLogins((change) => this.#tellLogin(change))
    const paths = [usageFile, auditFile].filter((path) => path !== undefined)
    this.#files = new Map(paths.map((path) => [path, new RotatingFile(path)]))
  }

  /** All workers prepare, or none does. */
  async prepare(next: NextConfig & Pick<PlainOptions, 'privatePaths'>): Promise<CrewPrepared> {
    const { config, keys, secrets = [], privatePaths = [] } = next
    const gateway = { ...this.#gateway, config, keys, secrets, privatePaths }
    const nextFor = (worker: number) => ({ config: this.#configFor(config, worker), keys, secrets })
    const prepared = await this.#takeover.prepare(nextFor)
    return {
      ...prepared,
      commit: () => {
        this.#gateway = gateway
        return prepared.commit()
      },
    }
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
        if (name === 'announce' && isInstanceKey(key)) announced.add(key)
        return this.#store.run(name, key, ...values)
      },
      read: (key, maxBytes) => this.#store.read(key, maxBytes),
      delete: (key) => this.#store.delete(key),
      append: async (path, text) => this.#files.get(path)?.append(text),
      renderMetrics: () => this.metrics.render(),
      retire: metrics.retire,
      loginLink: async (scope) => (await this.logins?.link(scope)) ?? '',
      loginRedeem: async (token) => (await this.logins?.redeem(token)) ?? { problem: 'unknown' },
      loginChange: (change) => this.logins?.change(change),
      reload: async () => (await this.#options.control?.reload()) ?? { state: 'unchanged' },
    } satisfies ParentServices)
    this.#channels.add(channel)
    const ended = endOf(child)
    const died = ended.then((end): never => {
      handout.gone(taker)
      channel.close()
      this.#channels.delete(channel)
      metrics.gone()
      this.#takeover.leave(channel)
      // Other instances need not find out by calling it.
      for (const key of announced) void this.#store.delete(key)
      throw new CommandError(diedEarly(end))
    })
    const start = () => channel.call('start', this.#ordersFor(number))
    const started = this.#takeover.join(number, channel, start).catch((error: Error) => {
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

  /** Resolves once all know it: the page's next request may reach any of them. A worker that hangs is not waited for. */
  async #tellLogin(change: LoginChange): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, loginMs)
    })
    const told = [...this.#channels].map((channel) => channel.call('login', change).catch(() => undefined))
    await Promise.race([Promise.all(told), late])
    clearTimeout(timer)
  }

  #ordersFor(worker: number): Orders {
    const { url, control } = this.#options
    const gateway = this.#gateway
    const { listen } = peerAddress(gateway.config, worker)
    return {
      ...{ worker, url, peerListen: listen, peerSecret: this.#peerSecret, controlToken: control?.token },
      logins: this.logins?.all ?? [],
      gateway: { ...gateway, config: this.#configFor(gateway.config, worker) },
    }
  }

  #configFor(config: Config, worker: number): Config {
    const { url: peerUrl } = peerAddress(config, worker)
    return { ...config, sessions: { ...config.sessions, peerUrl } }
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
