// A worker: the same gateway as without workers, controlled by its parent, with connections that the parent accepted. The worker stops
// on the parent's order, and does not outlive the parent.

import type { Socket } from 'node:net'
import { stopSignals } from '../../base/platform/stop-signals.ts'
import { readEnvironment } from '../../config/environment.ts'
import { createGateway, type Gateway, type InternalOptions, type Prepared } from '../../gateway.ts'
import type { LoginChange } from '../../inspector/login.ts'
import { Metrics } from '../../observe/metrics.ts'
import { onHangup } from '../hangup.ts'
import { listenOrSay } from '../run-gateway.ts'
import { guardStandardStreams } from '../standard-streams.ts'
import { createStopper, type Stopper } from '../stopper.ts'
import { logWriting } from '../terminal-log.ts'
import { Channel } from './channel.ts'
import type { Orders, ParentServices, WorkerServices } from './services.ts'

/** Terminals and service managers signal every process of a group: wait this long for the parent's order. */
const ordersMs = 1_000

guardStandardStreams()

const metrics = new Metrics()
let stopper: Stopper | undefined
let takeLogin: (change: LoginChange) => void = () => undefined
let gateway: Promise<Gateway> | undefined
let prepared: Prepared | undefined
let take: (socket: Socket) => void = (socket) => socket.destroy()

/** Orders run one after the other: those of a takeover that the parent has given up may still be running. */
let lastOrder: Promise<unknown> = Promise.resolve()
function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = lastOrder.then(work, work)
  lastOrder = done.catch(() => undefined)
  return done
}

const services: WorkerServices = {
  start,
  stop(reason) {
    if (!stopper) process.exit(0)
    stopper.stop(reason)
  },
  end: (code) => process.exit(code),
  snapshot: () => metrics.snapshot(),
  login: (change) => takeLogin(change),
  prepare: (next) =>
    inOrder(async () => {
      await prepared?.discard()
      // A worker whose gateway could not start ends soon. Its successor gets the configuration in force.
      prepared = await (await gateway?.catch(() => undefined))?.prepare(next)
      return prepared?.replaced ?? []
    }),
  commit: () =>
    inOrder(async () => {
      prepared?.commit()
      prepared = undefined
    }),
  discard: () =>
    inOrder(async () => {
      await prepared?.discard()
      prepared = undefined
    }),
}

const parent = new Channel<ParentServices>(
  {
    // The callback ignores failures: `disconnect` reports a missing parent.
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  },
  services,
)

process.on('message', (_message, socket: Socket | undefined) => {
  if (!socket) return
  // Acknowledge first: a worker that dies before this has not read a byte, and the connection goes to another worker.
  parent.tell('taken')
  take(socket)
})
process.on('disconnect', () => process.exit(1))
// A hangup of the process group is for the parent, which sends orders to its workers.
onHangup({ reload: () => undefined, stop: () => undefined })

async function start(orders: Orders): Promise<string> {
  const early: LoginChange[] = [...orders.logins]
  takeLogin = (change) => void early.push(change)
  gateway = createGateway(optionsFrom(orders))
  const created = await gateway
  takeLogin = (change) => created.inspector?.takeLogin(change)
  for (const change of early) takeLogin(change)
  const onStop = () => parent.call('retire', metrics.snapshot())
  const own = createStopper(created, { onStop, hasOthers: true })
  stopper = own
  for (const signal of stopSignals())
    process.on(signal, () => setTimeout(() => own.stop(signal, { leaving: true }), ordersMs))
  return listenOrSay(created, orders.gateway.config)
}

function optionsFrom(orders: Orders): InternalOptions {
  const { worker, gateway: options, url, peerSecret, peerListen, controlToken: token } = orders
  return {
    ...{ ...options, ...logWriting(options.config) },
    connect: readEnvironment(),
    control: token === undefined ? undefined : { token, reload: () => parent.call('reload') },
    worker: {
      ...{ worker, metrics },
      shared: {
        ...{ url, peerListen },
        onConnection: (listener) => {
          take = listener
        },
        leave: () => parent.tell('leave'),
      },
      peers: {
        secret: peerSecret,
        store: {
          run: (name, key, ...values) => parent.call('run', name, key, ...values),
          read: (key, maxBytes) => parent.call('read', key, maxBytes),
          delete: (key) => parent.call('delete', key),
        },
      },
      openFile: (path) => ({ append: (text) => parent.call('append', path, text) }),
      renderMetrics: () => parent.call('renderMetrics'),
      logins: {
        link: (scope) => parent.call('loginLink', scope),
        redeem: (token) => parent.call('loginRedeem', token),
        change: (change) => parent.tell('loginChange', change),
      },
    },
  }
}
